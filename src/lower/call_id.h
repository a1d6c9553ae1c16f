/* SPDX-License-Identifier: Apache-2.0 */
/* Names of calls and tools as a wire takes them. Pure functions of the id and of how often it was used before, so that a call and
 * its result, written by two requests on two machines, always agree. */
#ifndef FOVEA_CALL_ID_H
#define FOVEA_CALL_ID_H

#include "base/json_scan.h"
#include "lower/target.h"

enum { CALL_ID_ROOM = 72 };

/* The id of a call, as written between its quotes. One that the wire takes stays as it is; of any other its letters are cleaned and
 * a short hash of the whole is put behind, which keeps two of them apart. nth: how many calls with this id stand before it in
 * the session; the first keeps its name. */
void call_id(enum lower_wire wire, struct span id, size_t nth, char ret[static CALL_ID_ROOM]);

/* The name of a tool: letters, digits, '_' and '-', at most 64; "tool" for none. */
void tool_name(struct span name, char ret[static CALL_ID_ROOM]);

#endif

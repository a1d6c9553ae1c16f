/* SPDX-License-Identifier: Apache-2.0 */
/* What can be sent without its bytes, and which documents a wire takes: said once, for those who decide and those who write. */
#ifndef FOVEA_REFER_H
#define FOVEA_REFER_H

#include "lower/target.h"
#include "transcript/entry.h"

enum refer { REFER_NONE, REFER_URL, REFER_FILE };

/* How a part without bytes is named on that wire. A file's id holds for the vendor that its entry came from and nobody else; of addresses only
 * http and https go to everyone, and Google's own files only to Google. */
enum refer refer_by(enum lower_wire wire, const struct entry *e, const struct part *p);
/* The same, whether or not anybody there can follow the name: how the wire spells it. */
enum refer refer_spelled(enum lower_wire wire, const struct entry *e, const struct part *p);

/* Whether a stored document of that type is taken: PDF by all, text by all but Chat Completions. */
bool refer_document(enum lower_wire wire, const struct part *p);
bool refer_is_text(const struct part *p);

#endif

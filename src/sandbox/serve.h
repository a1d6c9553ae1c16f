/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's side of the protocol, for every program that speaks it: one greeting, one request, one reply. Works in
 * the jail. */
#ifndef FOVEA_SERVE_H
#define FOVEA_SERVE_H

#include <stdbool.h>

#include "sandbox/jail.h"
#include "sandbox/proto.h"

/* Says how the jail stands and what the worker works with. 0, or -EPIPE when nobody listens; so below. */
int serve_hello(const struct jail_report *jail, const char *codecs);

/* Input, output, and the other input. */
enum { SERVE_INPUT, SERVE_OUTPUT, SERVE_OTHER, SERVE_FDS };

enum { SERVE_GONE = 1 }; /* how a program ends that has nobody to talk to */

/* Waits for the request and its descriptors (-1 where there is none). -EBADMSG: something else came. */
int serve_receive(struct work_request *ret, int ret_fds[SERVE_FDS]);

/* A request is there already. */
bool serve_awaited(void);

int serve_reply(const struct work_reply *reply);

/* Fills in the reply to a request, or refuses in it. */
typedef void serve_work(const void *arg, const struct work_request *q, const int fds[SERVE_FDS], struct work_reply *reply);

/* Waits for the one request, has it done, replies and ends the process, which is quicker than releasing what it holds. */
_Noreturn void serve_one(serve_work *work, const void *arg);

/* There is no memory for what somebody asked for: from the greeting on that is the answer to the request, which is waited for if need be,
 * and the process ends here. Earlier it is noted, and becomes the answer to what will be asked. Any thread may call it while the request
 * is worked on; needs no memory. See allocate.c. */
void serve_no_memory(void);

/* Fills in why there is no result, and returns -EBADMSG. */
int serve_refuse(struct work_reply *reply, enum work_status status, const char *why);

/* Maps the input, as long as the request says, having looked at the request itself. Never unmapped: the process ends. */
int serve_map(const struct work_request *request, const int fds[SERVE_FDS], const void **ret, struct work_reply *reply);

/* The same of the other input; NULL where there is none. */
int serve_map_other(const struct work_request *request, const int fds[SERVE_FDS], const void **ret,
                    struct work_reply *reply);

#endif

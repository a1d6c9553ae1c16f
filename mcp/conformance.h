/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the conformance fixtures share; conformance.c says what they are. */
#ifndef FOVEA_MCP_CONFORMANCE_H
#define FOVEA_MCP_CONFORMANCE_H

#include "base/buf.h"
#include "exchange.h"

extern const struct extension conformance_extension;

/* Two by two pixels, and two milliseconds of a tone, in base64. */
#define FIXTURE_PNG                                                                                  \
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFUlEQVR42mM4oaGhcUKDAUg8e/YMACHiBfupoCRrAAAAAElF" \
    "TkSuQmCC"
#define FIXTURE_WAV "UklGRjQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YRAAAACA2v/agCYAJoDa/9qAJgAm"

/* ---- answering */

/* The members of a result from a buffer; an error when the buffer failed. */
void fixture_result(struct exchange *e, const char *type, const struct buf *members);
/* A tool's result of one text block. */
void fixture_text(struct exchange *e, bool is_error, const char *text);
/* The answer of whoever lists something: entries[i] by commas under that name. */
void fixture_list(struct exchange *e, const char *name, const char *(*entry)(size_t i), size_t n);
/* What a result that may be kept must say of that, since 2026-07-28. */
void fixture_add_caching(const struct exchange *e, struct buf *members);
/* True when the client declared the capability; else it was answered that it is missing. */
bool fixture_need(struct exchange *e, const char *capability);

/* ---- asking the client: conformance_ask.c, conformance_form.c */

/* One kind of question. */
struct fixture_kind {
    const char *capability, *method;
    bool (*fits)(const json_t *answer);
    void (*tell)(struct buf *text, const json_t *answer); /* of one that fits */
};
extern const struct fixture_kind fixture_elicitation, fixture_sampling, fixture_roots;

/* How the parameters of sampling begin; a string in quotes follows. */
#define FIXTURE_USER_SAYS "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":"

/* In the middle of a call, by a request of ours (until 2025-11-25). */
void fixture_ask(struct exchange *e, const char *tool, json_t *arguments);
/* By a result that says what is missing (since 2026-07-28); the form of that name, a tool's or a prompt's. */
void fixture_form(struct exchange *e, const char *name, json_t *arguments);

/* ---- what such a result remembers until the client comes back: conformance_state.c */

/* Text that only this process can have made; NULL when out of memory or too long. The caller frees. */
char *fixture_seal(const char *form, unsigned round, json_t *answers);
/* -EBADMSG when it is not of this process, or of another form. The caller drops the answers. */
int fixture_unseal(const char *sealed, const char *form, unsigned *ret_round, json_t **ret_answers);

/* ---- resources, prompts, completion: conformance_data.c */

#define FIXTURE_WATCHED "test://watched-resource"
void fixture_resources_list(struct exchange *e);
void fixture_templates_list(struct exchange *e);
void fixture_resources_read(struct exchange *e);
void fixture_prompts_list(struct exchange *e);
void fixture_prompts_get(struct exchange *e);
void fixture_complete(struct exchange *e);
bool fixture_has_resource(const char *uri);
/* -32602 in the modern era, -32002 before it. */
void fixture_no_resource(struct exchange *e, const char *uri);

/* ---- who wants to hear of what: conformance_listen.c */

void fixture_set_level(struct exchange *e);
void fixture_subscribe(struct exchange *e);
void fixture_unsubscribe(struct exchange *e);
void fixture_listen(struct exchange *e);
/* A log message of this request, if the client wants that level. */
void fixture_log(struct exchange *e, const char *level, const char *text);
/* Tells everyone who listens for it; the rows of a table, by the tool that triggers it. */
void fixture_trigger(struct exchange *e, const char *tool, json_t *arguments);
void fixture_client_gone(struct client *c);
void fixture_end(void);

#endif

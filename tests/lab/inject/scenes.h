/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scene does a piece of work that may be struck by a failure at any call. Its outcome is either what it is without one, or a code
 * with words. The same object must then do the same work rightly, and all that was promised before must still be there.
 */
#ifndef FOVEA_INJECT_SCENES_H
#define FOVEA_INJECT_SCENES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fovea.h"

enum { ANSWERS = 64 };
struct answer {
    uint64_t hash; /* of what was told */
    size_t bytes;
    bool given, refused; /* what was told says why there is nothing else */
};
struct outcome {
    int code;         /* 0, or a negative errno */
    char words[512];  /* of the fault, or what is wrong */
    char untrue[512]; /* the first that blame the source or the call; empty: none do */
    uint64_t hash;    /* of all that was told */
    size_t bytes;
    bool refused;     /* one of its answers, at least */
    size_t n;
    struct answer now, answers[ANSWERS]; /* where there are several: each but for what came after the last */
};
void tell_bytes(struct outcome *o, const void *data, size_t len);
/* The reason: as which kind of refusal or error; empty where there are no kinds. */
void tell_refusal(struct outcome *o, const char *reason, const char *words);
void tell_reasoned(struct outcome *o, const char *words); /* it is the word before a colon, at their beginning */
/* What was told since the last one is an answer of its own; it is judged by what the one in its place is without a failure. */
void tell_answer(struct outcome *o);
void tell_answer_at(struct outcome *o, size_t which, const struct answer *a); /* where they come in any order */
bool answers_hold(const struct outcome *o, const struct outcome *right); /* each is right or refused */
void tell_str(struct outcome *o, const char *s); /* NULL: -ENOMEM, as of functions that say nothing else */
void tell_fault(struct outcome *o, int code, const struct fovea_fault *fault);
void tell_result(struct outcome *o, const fovea_result *r); /* an answer */
int tell_write(void *o, const char *piece, size_t len); /* a fovea_write */

struct scene {
    const char *name;
    int (*setup)(void);           /* nothing fails yet. 0, or it is skipped. May be NULL, like the other two */
    void (*run)(struct outcome *o);
    void (*settle)(struct outcome *o); /* nothing fails any more: looks whether what was promised holds */
    void (*teardown)(void);
    /* Small: every call is played, but where one point is enough. Thorough: from 100 points on too, and what a machine has hardly ever. */
    enum { SCENE_USUAL, SCENE_SMALL, SCENE_THOROUGH } calls;
};
extern const struct scene *const scenes[]; /* NULL-terminated */

/* A folder of the run, made anew by each call; the last one is taken away. NULL: none. */
const char *fresh_folder(void);
void drop_folder(void);
const char *in_folder(const char *name);
int put_file(const char *name, const char *text);
const char *build_folder(void);

extern const struct scene scene_schema, scene_imports, scene_config, scene_neutral, scene_stub, scene_ledger, scene_ledger_kept, scene_token, scene_record, scene_record_kept;
/* Quick enough for every point of it; the clock and poll may fail it too, and a connection that is reset is gone. */
extern const struct scene scene_record_mend, scene_pg, scene_pg_kept, scene_pg_long, scene_pg_mend, scene_pg_refused;
extern const struct scene scene_view_whole, scene_view_kept, scene_view_kinds, scene_read, scene_doctor;
extern const struct scene scene_session_whole, scene_session_kept, scene_lower, scene_simulate;
extern const struct scene scene_mcp, scene_mcp_stdio, scene_mcp_http;
extern const struct scene scene_ask, scene_models;
extern const struct scene scene_cli_words, scene_cli_setup, scene_cli_view, scene_cli_session, scene_cli_simulate;
extern const struct scene scene_workers, scene_markdown, scene_again, scene_reject, scene_delete, scene_settings, scene_trace_pdf, scene_tools;
extern const struct scene scene_refs, scene_hosts, scene_gate, scene_gate_names, scene_reader, scene_fetch, scene_fetch_refused;
extern const struct scene scene_anthropic, scene_chat, scene_responses, scene_gemini;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What models a host offers and what they take, as the host itself says it: the list of OpenAI-compatible servers with the
 * additions of OpenRouter, vLLM, Mistral, llama.cpp and LM Studio, Ollama's word on one model, and llama.cpp's on itself.
 * What is not said stays no.
 */
#ifndef FOVEA_DISCOVER_H
#define FOVEA_DISCOVER_H

#include "base/limits.h"
#include "provider/hosts.h"
#include "provider/http.h"

struct discovered {
    char id[LIMIT_MODEL_ID];
    bool told; /* the host said what it takes, which is: */
    bool vision, pdf, video;
    int64_t context; /* tokens; 0 not known */
};

struct discover_list {
    struct discovered *rows; /* owned */
    size_t n;
};
void discover_list_done(struct discover_list *l);

/*
 * Pure readers of one answer; whatever has another type than it should counts as not said. 0, -EBADMSG when it is no
 * such answer at all, -ENOMEM. A list has each id once, the first of them, in the host's order, and at most
 * LIMIT_DISCOVER_MODELS; ids that are too long or cannot be printed are left out.
 */
int discover_read_list(const char *body, size_t len, struct discover_list *ret);  /* /v1/models, LM Studio's /api/v0/models */
int discover_read_show(const char *body, size_t len, struct discovered *row);  /* Ollama's /api/show */
int discover_read_props(const char *body, size_t len, struct discovered *row); /* llama.cpp's /props */

struct discover_request {
    const struct host *host;
    const char *key;     /* NULL for a host without */
    const char *ca_file; /* as in http_request */
    const char *id;      /* the model that matters, and the only one asked about by itself; NULL: all of them */
    bool near;           /* it is on this machine or in this network: it may be asked outside its base URL, at its root */
    int64_t total_ms;
    const fovea_cancel *cancel; /* may be NULL */
};

/*
 * Asks the host. 0 with a list, perhaps an empty one. With an id that no list of the host's has, there is a row of it only
 * when the host knows it all the same. Otherwise what http_get gives, -ENOENT (it answers, but has no list: 404, 405,
 * 501), -EACCES (it wants another key), -EBADMSG (its list cannot be read), -EAGAIN (any other status, such as 503 while it
 * starts). The words never show the key.
 */
int discover(struct http *http, const struct discover_request *q, struct discover_list *ret, struct fovea_fault *f);

#endif

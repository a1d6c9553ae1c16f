/* SPDX-License-Identifier: Apache-2.0 */
/* A call that is over as an entry of the transcript (docs/transcript.md): what it was, what it gave for programs, and what the model
 * saw of it. */
#include <string.h>

#include "api/recording.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "percept/json.h"

/* Bytes within the arguments would be stored twice, and as text; they are named instead. So is what is too long to be a URL. */
static const struct {
    const char *name, *words;
    size_t most;
} bulky[] = {{"file_base64", "of base64", KIB}, {"file_url", "are no URL", LIMIT_URL_BYTES}};

static json_t *arguments_of(const struct recording *g)
{
    json_t *copy = NULL;
    for (size_t i = 0; i < COUNT(bulky); i++) {
        size_t len = json_string_length(json_object_get(g->arguments, bulky[i].name));
        if (len < bulky[i].most)
            continue;
        if (!copy && !(copy = json_copy_whole(g->arguments)))
            return NULL;
        if (json_object_set_new(copy, bulky[i].name, json_sprintf("(%zu characters %s)", len, bulky[i].words)) < 0) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy ? copy : json_incref(g->arguments);
}

/* What text was laid out by, or tiles were cut by. */
static json_t *limits_of(const struct fit_limits *limits)
{
    uint32_t numbers[sizeof *limits / sizeof(uint32_t)];
    json_t *list = json_array();
    int bad = 0;
    memcpy(numbers, limits, sizeof numbers);
    for (size_t i = 0; i < COUNT(numbers); i++)
        bad |= json_array_append_new(list, json_integer(numbers[i]));
    return json_if_whole(list, bad);
}

/* What it takes to show the same once more, which the printed result has only as far as a reader can use it. */
static json_t *again_of(const struct perception *p)
{
    json_t *o = json_pack("{s:[f,f,f,f]}", "crop", p->crop.x, p->crop.y, p->crop.w, p->crop.h);
    int bad = 0;
    if (p->page && p->source.tile.w > 0)
        bad |= json_object_set_new(o, "tile", json_true());
    if (p->asked_ms)
        bad |= json_object_set_new(o, "time_ms", json_integer(p->asked_ms));
    if (media_row(p->source.media)->class == CLASS_TEXT || (p->page && p->source.tile.w > 0))
        bad |= json_object_set_new(o, "limits", limits_of(&p->laid));
    if (p->asked.max_edge)
        bad |= json_object_set_new(o, "max_edge", json_integer(p->asked.max_edge));
    if (p->asked.full)
        bad |= json_object_set_new(o, "full", json_true());
    if (p->asked.model)
        bad |= json_object_set_new(o, "model", json_string(p->model));
    if (p->difference.made && perception_seen(p))
        bad |= json_object_set_new(o, "panel_scale", json_pack("[f,f]", p->difference.scale[0], p->difference.scale[1]));
    return json_if_whole(o, bad);
}

/* What it was compared with. */
static json_t *against_of(const struct difference *d)
{
    char hex[SHA256_HEX_LEN + 1];
    sha256_hex(d->sha256, hex);
    return json_pack("{s:s?, s:s?, s:s}", "path", d->path, "ref", d->ref, d->stored ? "sha256" : "not_stored", hex);
}

/* The result as it is printed. What the model sees of a text stands in the parts and not here again; a source that the record did
 * not take is not among the bytes that the entry needs. */
static json_t *result_of(const struct recording *g, bool stored)
{
    auto_free char *words = fovea_result_json_new(g->result, 0);
    json_t *o = words ? json_read(words, strlen(words), JSON_ALLOW_NUL, NULL) : NULL;
    json_t *source = json_object_get(o, "source"), *sha256 = json_object_get(source, "sha256");
    int bad = 0;
    if (g->result->kind == FOVEA_TEXT)
        (void)json_object_del(o, "text");
    if (g->result->kind == FOVEA_ANSWER && !g->result->answer.inspected && g->result->answer.mime) /* which the envelope lacks */
        bad |= json_object_set_new(o, "mimeType", json_string(g->result->answer.mime));
    if (g->result->kind == FOVEA_PERCEPTION)
        bad |= json_object_set_new(o, "again", again_of(&g->result->perception));
    if (g->result->kind == FOVEA_PERCEPTION && g->result->perception.difference.made)
        bad |= json_object_set_new(o, "against", against_of(&g->result->perception.difference));
    if (sha256 && !stored) {
        bad |= json_object_set(source, "not_stored", sha256);
        bad |= json_object_set_new(source, "sha256", json_null());
    }
    return json_if_whole(o, bad);
}

/* By what name, other than its view:ID, it can be seen again; NULL: by none. */
static const char *ref_of(const struct perception *p)
{
    if (!strncmp(p->ref, "view:", 5))
        return p->path;
    return p->path || strstr(p->ref, "://") ? p->ref : NULL;
}

static json_t *image_part(const struct perception *p, bool stored)
{
    uint8_t digest[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    sha256(p->data, p->len, digest);
    sha256_hex(digest, hex);
    const char *view = stored || p->again ? p->id : NULL, *ref = ref_of(p);
    json_t *o = json_pack("{s:s, s:s, s:s, s:I, s:i, s:i, s:s*, s:s*}", "type", "image", "media_type", media_row(p->media)->mime,
                          "sha256", hex, "bytes", (json_int_t)p->len, "width", (int)p->size.w, "height", (int)p->size.h, "view", view,
                          "ref", ref);
    return json_if_whole(o, json_object_size(o) != 6u + !!view + !!ref); /* jansson leaves out what it has no memory for */
}

static json_t *parts_of(const struct recording *g, bool stored)
{
    auto_free char *words = fovea_result_words_new(g->result);
    json_t *parts = words ? json_pack("[{s:s, s:s}]", "type", "text", "text", words) : NULL;
    if (parts && g->result->kind == FOVEA_PERCEPTION && perception_seen(&g->result->perception) &&
        json_array_append_new(parts, image_part(&g->result->perception, stored)) < 0) {
        json_decref(parts);
        return NULL;
    }
    return parts;
}

json_t *recording_entry(const struct recording *g, const char *call, bool stored, int64_t at)
{
    enum fovea_kind kind = g->result->kind;
    bool seen = kind == FOVEA_PERCEPTION && perception_seen(&g->result->perception);
    auto_json *result = result_of(g, stored), *parts = parts_of(g, stored);
    auto_json *arguments = g->arguments ? arguments_of(g) : NULL;
    if (!result || !parts || (g->arguments && !arguments))
        return NULL;
    json_t *o = json_pack("{s:s, s:I, s:s*, s:s, s:O*, s:O, s:O}", "kind", seen ? "perception" : "tool_result",
                          "at", (json_int_t)at, "call", call, "name", g->tool, "arguments", arguments, "result", result, "parts",
                          parts);
    int bad = o && call && !json_object_get(o, "call");
    if (o && (kind == FOVEA_REFUSAL || kind == FOVEA_ERROR))
        bad |= json_object_set_new(o, "error", json_true());
    return json_if_whole(o, bad);
}

json_t *recording_usage(const struct kept *k, int64_t at)
{
    const struct wire_usage *u = &k->usage;
    json_t *cost = k->nano < 0 ? json_null() : json_real((double)k->nano / 1e9);
    return json_pack("{s:s, s:I, s:s, s:I, s:I, s:I, s:I, s:o}", "kind", "usage", "at", (json_int_t)at, "model", k->model, "input",
                     (json_int_t)u->input, "output", (json_int_t)u->output, "cache_read", (json_int_t)u->cache_read,
                     "cache_write", (json_int_t)u->cache_write, "cost_usd", cost);
}

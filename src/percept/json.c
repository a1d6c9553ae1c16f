/* SPDX-License-Identifier: Apache-2.0 */
/* Results as JSON, in the shapes of the contract. The picture is spliced in as base64 behind the rest: it needs no
 * escaping, and half a megabyte is not worth a second walk over every character. */
#include "percept/json.h"

#include <math.h>

#include "base/b64.h"
#include "base/buf.h"
#include "base/limits.h"
#include "percept/result.h"

/* Whole numbers as such, others to four places: what a reader can use and no more. */
static json_t *number(double v)
{
    double rounded = round(v * 1e4) / 1e4;
    if (rounded == floor(rounded) && fabs(rounded) < 1e15)
        return json_integer((json_int_t)rounded);
    return json_real(rounded);
}

static json_t *digest(const uint8_t sha[SHA256_LEN])
{
    char hex[SHA256_HEX_LEN + 1];
    sha256_hex(sha, hex);
    return json_string(hex);
}

static json_t *source_json(const struct perception *p)
{
    return json_pack("{s:s, s:i, s:i, s:I, s:o, s:i, s:n}", "media_type", media_row(p->source.media)->mime, "width",
                     (int)p->source.size.w, "height", (int)p->source.size.h, "bytes", (json_int_t)p->source.bytes,
                     "sha256", digest(p->source.sha256), "frames", (int)p->source.frames, "pages");
}

static json_t *region_json(const struct perception *p)
{
    if (!p->region)
        return json_null();
    return json_pack("[i,i,i,i]", (int)p->crop.x, (int)p->crop.y, (int)p->crop.w, (int)p->crop.h);
}

static json_t *tokens_json(const struct perception *p)
{
    if (!p->model)
        return json_null();
    return json_pack("{s:s, s:o}", "model", p->model, "image", p->tokens ? json_integer(p->tokens) : json_null());
}

static json_t *perception_json(const struct perception *p)
{
    double scale[2];
    perception_scale(p, scale);
    bool resized = p->size.w != p->crop.w || p->size.h != p->crop.h;
    return json_pack("{s:b, s:s, s:s, s:s, s:s?, s:s, s:i, s:i, s:I, s:o, s:o, s:n, s:o, s:[o,o], s:[i,i], s:b, s:b, "
                     "s:o, s:s}",
                     "ok", 1, "kind", "perception", "id", p->id, "ref", p->ref, "path", p->path, "media_type",
                     media_row(p->media)->mime, "width", (int)p->size.w, "height", (int)p->size.h, "bytes",
                     (json_int_t)p->len, "source", source_json(p), "region", region_json(p), "page", "frame",
                     p->frame ? json_integer(p->frame) : json_null(), "scale", number(scale[0]), number(scale[1]),
                     "offset", (int)p->crop.x, (int)p->crop.y, "resized", resized, "over_budget", p->over_budget,
                     "tokens", tokens_json(p), "note", p->note);
}

static json_t *text_json(const struct text *t)
{
    return json_pack("{s:b, s:s, s:s?, s:s%, s:[I,I], s:I, s:s}", "ok", 1, "kind", "text", "path", t->path, "text",
                     t->text, t->len, "lines", (json_int_t)t->first, (json_int_t)t->last, "total_lines",
                     (json_int_t)t->total, "sha256", t->sha256);
}

static json_t *refusal_json(const struct refusal *r)
{
    return json_pack("{s:b, s:s, s:s, s:s}", "ok", 0, "kind", "refusal", "reason", reason_name(r->reason), "message",
                     r->message);
}

static json_t *result_json(const fovea_result *r)
{
    return r->kind == FOVEA_PERCEPTION ? perception_json(&r->perception)
           : r->kind == FOVEA_TEXT     ? text_json(&r->text)
                                       : refusal_json(&r->refusal);
}

/* object without its last brace + ,"data":"..."} */
static char *with_data(const char *object, const struct perception *p)
{
    size_t b64 = B64_LEN(p->len);
    auto_buf b = BUF_INIT(LIMIT_WORKER_OUTPUT * 2);
    (void)buf_add(&b, object, strlen(object) - 1);
    (void)buf_add_str(&b, ",\"data\":\"");
    char *to = buf_reserve(&b, b64 + 2);
    if (!to)
        return NULL;
    b64_encode(p->data, p->len, to);
    buf_grew(&b, b64);
    (void)buf_add_str(&b, "\"}");
    return buf_take(&b);
}

char *fovea_result_json_new(const fovea_result *r, unsigned flags)
{
    auto_json *object = result_json(r);
    auto_free char *words = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    if (words && flags & FOVEA_JSON_DATA && r->kind == FOVEA_PERCEPTION)
        return with_data(words, &r->perception);
    return take(words);
}

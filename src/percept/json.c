/* SPDX-License-Identifier: Apache-2.0 */
/* Results as JSON, in the shapes of the contract. The picture is spliced in as base64 behind the rest: it needs no
 * escaping, and half a megabyte is not worth a second walk over every character. */
#include "percept/json.h"

#include <math.h>

#include "base/b64.h"
#include "base/buf.h"
#include "base/json_read.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "percept/result.h"

/* Whole numbers as such. */
static json_t *rounded_to(double v, int places)
{
    double unit = pow(10, places), rounded = round(v * unit) / unit;
    if (rounded == floor(rounded) && fabs(rounded) < 1e15)
        return json_integer((json_int_t)rounded);
    return json_real(rounded);
}

/* To four places: what a reader can use and no more. */
static json_t *number(double v)
{
    return rounded_to(v, 4);
}

static json_t *digest(const uint8_t sha[SHA256_LEN])
{
    char hex[SHA256_HEX_LEN + 1];
    sha256_hex(sha, hex);
    return json_string(hex);
}

static json_t *seconds(int64_t ms)
{
    return number((double)ms / 1000);
}

static bool is_video(const struct perception *p)
{
    return media_row(p->source.media)->class == CLASS_VIDEO;
}

static json_t *source_json(const struct perception *p)
{
    json_t *o = json_pack("{s:s, s:i, s:i, s:I, s:o, s:i, s:o}", "media_type", media_row(p->source.media)->mime, "width",
                          (int)p->source.size.w, "height", (int)p->source.size.h, "bytes", (json_int_t)p->source.bytes,
                          "sha256", digest(p->source.sha256), "frames", (int)p->source.frames, "pages",
                          p->source.pages ? json_integer(p->source.pages) : json_null());
    int bad = 0;
    if (o && is_video(p))
        bad = json_object_set_new(o, "duration", p->source.duration_ms > 0 ? seconds(p->source.duration_ms) : json_null());
    return json_if_whole(o, bad);
}

/* To so many places: small units need more of them. */
static json_t *area_json(const struct area *a, int places)
{
    return json_pack("[o,o,o,o]", rounded_to(a->x, places), rounded_to(a->y, places), rounded_to(a->w, places),
                     rounded_to(a->h, places));
}

static json_t *page_json(const struct perception *p)
{
    if (p->last_page)
        return json_sprintf("%u-%u", p->page, p->last_page);
    return p->page ? json_integer(p->page) : json_null();
}

static json_t *scale_json(const struct perception *p)
{
    double scale[2];
    perception_scale(p, scale);
    if (!perception_maps(p))
        return json_null();
    return json_pack("[o,o]", rounded_to(scale[0], scale_places(scale[0])), rounded_to(scale[1], scale_places(scale[1])));
}

/* Two more than are said: programs multiply. */
static int places_of(const struct perception *p)
{
    return perception_places(p) + 2;
}

static json_t *offset_json(const struct perception *p)
{
    return perception_maps(p) ? json_pack("[o,o]", rounded_to(p->crop.x, places_of(p)), rounded_to(p->crop.y, places_of(p)))
                              : json_null();
}

static json_t *tokens_json(const struct perception *p)
{
    if (!p->model)
        return json_null();
    bool known = p->tokens || !perception_seen(p); /* no picture costs nothing */
    return json_pack("{s:s, s:o}", "model", p->model, "image", known ? json_integer(p->tokens) : json_null());
}

static json_t *box_json(const struct rect *r)
{
    return json_pack("[i,i,i,i]", (int)r->x, (int)r->y, (int)r->w, (int)r->h);
}

static json_t *cells_json(const struct perception *p)
{
    json_t *list = json_array();
    int bad = 0;
    for (size_t i = 0; i < p->n_cells; i++) {
        const struct cell *c = &p->cells[i];
        json_t *one = json_pack("{s:i}", p->page ? "page" : "frame", (int)c->number);
        if (c->time_ms >= 0)
            bad |= json_object_set_new(one, "time", seconds(c->time_ms));
        bad |= json_object_set_new(one, "box", box_json(&c->box));
        bad |= json_array_append_new(list, one);
    }
    return json_if_whole(list, bad);
}

/* How each of them maps back: offset + (point - corner of the box) * scale. */
static json_t *panels_json(const struct perception *p)
{
    static const char *const names[PANELS] = {"before", "after", "difference"};
    const struct difference *d = &p->difference;
    json_t *list = json_array();
    int bad = 0;
    for (int i = 0; i < PANELS; i++)
        bad |= json_array_append_new(
            list, json_pack("{s:s, s:o, s:[o,o], s:[o,o]}", "panel", names[i], "box", box_json(&d->panels[i]), "scale",
                            rounded_to(d->scale[0], scale_places(d->scale[0])), rounded_to(d->scale[1], scale_places(d->scale[1])),
                            "offset", rounded_to(p->crop.x, places_of(p)), rounded_to(p->crop.y, places_of(p))));
    return json_if_whole(list, bad);
}

static json_t *difference_json(const struct perception *p)
{
    const struct difference *d = &p->difference;
    json_t *boxes = json_array();
    int bad = 0;
    for (size_t i = 0; i < d->n_boxes; i++)
        bad |= json_array_append_new(boxes, area_json(&d->boxes[i], places_of(p)));
    return json_pack("{s:I, s:o}", "changed_pixels", (json_int_t)d->changed, "boxes", json_if_whole(boxes, bad));
}

/* What only some kinds of sources have. 0, or what failed for want of memory. */
static int add_kind(json_t *o, const struct perception *p)
{
    int bad = 0;
    if (is_video(p) && !p->sheet && p->time_ms >= 0)
        bad |= json_object_set_new(o, "time", seconds(p->time_ms));
    if (p->sheet)
        bad |= json_object_set_new(o, "cells", cells_json(p));
    if (p->total_lines) {
        bad |= json_object_set_new(o, "lines", p->first_line ? json_pack("[i,i]", (int)p->first_line, (int)p->last_line) : json_null());
        bad |= json_object_set_new(o, "total_lines", json_integer(p->total_lines));
    }
    if (p->difference.made && perception_seen(p))
        bad |= json_object_set_new(o, "cells", panels_json(p));
    if (p->difference.made)
        bad |= json_object_set_new(o, "difference", difference_json(p));
    if (p->question)
        bad |= json_object_set_new(o, "native", json_true());
    return bad;
}

static json_t *perception_json(const struct perception *p)
{
    json_t *o =
           json_pack("{s:b, s:s, s:s, s:s, s:s?, s:s?, s:i, s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, "
                     "s:o, s:s}",
                     "ok", 1, "kind", "perception", "id", p->id, "ref", p->ref, "path", p->path, "media_type",
                     perception_seen(p) ? media_row(p->media)->mime : NULL, "width", (int)p->size.w, "height", (int)p->size.h, "bytes",
                     (json_int_t)p->len, "source", source_json(p), "region", p->region ? area_json(&p->crop, places_of(p)) : json_null(),
                     "page", page_json(p), "frame", p->frame ? json_integer(p->frame) : json_null(), "scale",
                     scale_json(p), "offset", offset_json(p), "resized", perception_resized(p),
                     "over_budget", p->over_budget, "tokens", tokens_json(p), "note", p->note);
    return json_if_whole(o, o && add_kind(o, p));
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

/* Nine places fit into a double up to some million dollars. */
static json_t *dollars(const struct cost *c)
{
    if (c->nano < 0)
        return json_null();
    return c->nano % 1000000000 ? json_real((double)c->nano / 1e9) : json_integer(c->nano / 1000000000);
}

static json_t *whole_or_null(int64_t v)
{
    return v < 0 ? json_null() : json_integer(v);
}

static json_t *inspected_json(const struct answer *a)
{
    return json_pack("{s:b, s:s, s:[{s:s, s:s}], s:{s:o, s:s?, s:s?}}", "ok", 1, "kind", "answer", "content", "type", "text",
                     "text", a->text, "details", "model", json_sprintf("%s/%s", a->provider, a->model), "imagePath",
                     a->path, "mimeType", a->mime);
}

static json_t *envelope_json(const struct answer *a)
{
    json_t *o = json_pack("{s:b, s:s, s:s}", "ok", 1, "kind", "answer", "text", a->text);
    int bad = a->parsed ? json_object_set(o, "parsed", a->parsed) : 0;
    json_t *rest = json_pack("{s:s, s:o, s:o, s:o, s:s, s:b, s:b}", "model", a->model, "cost_usd", dollars(&a->cost),
                             "input_tokens", whole_or_null(a->input_tokens), "output_tokens",
                             whole_or_null(a->output_tokens), "provider", a->provider, "cached", a->cached,
                             "output_is_untrusted", 1);
    if (a->note && rest)
        bad |= json_object_set_new(rest, "note", json_string(a->note));
    if (bad || !rest || json_object_update_missing(o, rest) < 0) {
        json_decref(o);
        o = NULL;
    }
    json_decref(rest);
    return o;
}

static json_t *failure_json(const struct failure *f)
{
    if (f->plain)
        return json_pack("{s:b, s:s, s:s}", "ok", 0, "kind", "error", "error", f->message);
    json_t *o = json_pack("{s:b, s:s, s:s, s:s, s:o}", "ok", 0, "kind", "error", "code", fail_code(f->kind), "error",
                          f->message, "cost_usd", dollars(&f->cost));
    if (f->quoted)
        (void)json_object_set_new(o, "output_is_untrusted", json_true());
    return o;
}

static json_t *result_json(const fovea_result *r)
{
    switch (r->kind) {
    case FOVEA_PERCEPTION:
        return perception_json(&r->perception);
    case FOVEA_TEXT:
        return text_json(&r->text);
    case FOVEA_ANSWER:
        return r->answer.inspected ? inspected_json(&r->answer) : envelope_json(&r->answer);
    case FOVEA_ERROR:
        return failure_json(&r->failure);
    case FOVEA_REFUSAL:
        break;
    }
    return refusal_json(&r->refusal);
}

/* ---------------------------------------------------------------- as text */

/* Not jansson's own: that has one precision for all numbers. Either 0.0034 shows its rounding, or a number that a model gave loses its
 * last digits. */
static void add_value(struct buf *b, const json_t *v);

static void add_object(struct buf *b, const json_t *object)
{
    const char *key, *before = "{";
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        (void)buf_add_str(b, before);
        (void)buf_add_json_str(b, key);
        (void)buf_add_str(b, ":");
        add_value(b, value);
        before = ",";
    }
    (void)buf_add_str(b, *before == '{' ? "{}" : "}");
}

static void add_array(struct buf *b, const json_t *array)
{
    size_t i;
    json_t *value;
    (void)buf_add_str(b, "[");
    json_array_foreach(array, i, value) {
        (void)buf_add_str(b, i ? "," : "");
        add_value(b, value);
    }
    (void)buf_add_str(b, "]");
}

/* As deep as jansson parses: what it made fits our stack too. */
static void add_value(struct buf *b, const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        add_object(b, v);
        return;
    case JSON_ARRAY:
        add_array(b, v);
        return;
    case JSON_STRING:
        (void)buf_add_json(b, json_string_value(v), json_string_length(v));
        return;
    case JSON_INTEGER:
        (void)buf_add_format(b, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
        return;
    case JSON_REAL:
        (void)buf_add_real(b, json_real_value(v));
        return;
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        break;
    }
    (void)buf_add_str(b, json_is_true(v) ? "true" : json_is_false(v) ? "false" : "null");
}

char *json_line_new(const json_t *value)
{
    auto_buf b = BUF_INIT(LIMIT_WORKER_OUTPUT * 2);
    add_value(&b, value);
    return buf_take(&b);
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
    auto_free char *words = object ? json_line_new(object) : NULL;
    if (words && flags & FOVEA_JSON_DATA && r->kind == FOVEA_PERCEPTION && perception_seen(&r->perception))
        return with_data(words, &r->perception);
    return take(words);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Views of a session as its record knows them: see recorded.h. */
#include "api/recorded.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "api/fields.h"
#include "base/fault.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "base/path.h"
#include "percept/json.h"
#include "transcript/transcript.h"

/* ---------------------------------------------------------------- an entry */

static int take_entry(const struct record_entry *e, void *arg)
{
    json_t **ret = arg;
    *ret = json_read(e->body, e->len, JSON_ALLOW_NUL, NULL);
    return *ret ? 1 : -errno;
}

int recorded_entry(struct record *r, const char *session, const char *mark, json_t **ret, struct fovea_fault *fault)
{
    struct record_point at = {0};
    int64_t seq;
    *ret = NULL;
    int code = *session ? record_find(r, session, mark, &seq, fault) : -ENOENT;
    if (code < 0)
        return code == -ENOENT ? 0 : code;
    at.seq = seq - 1;
    code = record_read(r, session, &at, take_entry, ret, fault);
    if (code == -ENOMEM)
        return fault_oom(fault);
    return code == -EBADMSG && !*ret ? fault_set(fault, EBADMSG, "entry %lld of session \"%s\" cannot be read; fovea session fsck "
                                                 "says more", (long long)seq, session)
                                     : code;
}

/* ---------------------------------------------------------------- a view */

static uint32_t number(const json_t *o, const char *name)
{
    json_int_t v = json_integer_value(json_object_get(o, name));
    return v > 0 && v <= UINT32_MAX ? (uint32_t)v : 0;
}

static double real(const json_t *list, size_t i)
{
    return json_number_value(json_array_get(list, i));
}

/* Which page, frame or time: a range is words. */
static void take_part(const json_t *result, struct view_memory *m)
{
    const json_t *page = json_object_get(result, "page"), *time = json_object_get(result, "time");
    struct fovea_pages pages = {0};
    if (json_is_string(page) && pages_parse(json_string_value(page), &pages))
        m->last_page = (uint32_t)MIN(MAX(pages.first, pages.last), (int64_t)LIMIT_PAGES);
    m->page = json_is_string(page) ? (uint32_t)MIN(pages.first, (int64_t)LIMIT_PAGES) : number(result, "page");
    m->frame = number(result, "frame");
    m->sheet = json_is_array(json_object_get(result, "cells")) && !json_object_get(result, "difference");
    m->timed = json_is_number(time) && !m->frame && json_number_value(time) <= LIMIT_VIDEO_SECONDS;
    m->time_ms = m->timed ? llround(json_number_value(time) * 1000) : 0;
}

static bool is_drawn(const json_t *source)
{
    const char *mime = json_string_value(json_object_get(source, "media_type"));
    for (enum media m = MEDIA_NONE; mime && m < MEDIA_COUNT; m++)
        if (media_drawn(m) && !strcmp(media_row(m)->mime, mime))
            return true;
    return false;
}

static struct area area_of(const json_t *list)
{
    return (struct area){real(list, 0), real(list, 1), real(list, 2), real(list, 3)};
}

/* The part that was shown: as the entry has it to the last digit. Of an older one: as asked for; else all of it, or what the scale
 * tells of a tile, and of what is drawn, whose size is rounded. */
static struct area crop_of(const json_t *result, struct size shown, bool *ret_region)
{
    const json_t *region = json_object_get(result, "region"), *source = json_object_get(result, "source");
    const json_t *scale = json_object_get(result, "scale"), *offset = json_object_get(result, "offset");
    const json_t *exact = json_object_get(json_object_get(result, "again"), "crop");
    *ret_region = json_is_array(region);
    if (json_is_array(exact) || *ret_region)
        return area_of(json_is_array(exact) ? exact : region);
    if (!json_is_array(scale) || (json_is_null(json_object_get(result, "page")) && !is_drawn(source)))
        return (struct area){0, 0, number(source, "width"), number(source, "height")};
    return (struct area){real(offset, 0), real(offset, 1), real(scale, 0) * shown.w, real(scale, 1) * shown.h};
}

/* What text was laid out by, and what else decides the part. */
static void take_layout(const json_t *again, struct view_memory *m)
{
    const json_t *limits = json_object_get(again, "limits");
    uint32_t numbers[sizeof m->limits / sizeof(uint32_t)] = {0};
    m->tile = json_is_true(json_object_get(again, "tile"));
    m->asked_ms = m->timed ? json_integer_value(json_object_get(again, "time_ms")) : 0;
    if (json_array_size(limits) != COUNT(numbers))
        return;
    for (size_t i = 0; i < COUNT(numbers); i++)
        numbers[i] = (uint32_t)json_integer_value(json_array_get(limits, i));
    memcpy(&m->limits, numbers, sizeof m->limits);
}

/* What part of the source it showed; false: the entry does not say it right. */
static bool take_crop(const json_t *result, struct view_memory *m)
{
    m->size = (struct size){number(result, "width"), number(result, "height")};
    m->crop = crop_of(result, m->size, &m->region);
    take_part(result, m);
    take_layout(json_object_get(result, "again"), m);
    return isfinite(m->crop.x) && isfinite(m->crop.y) && m->crop.w > 0 && m->crop.h > 0 &&
           ((m->size.w && m->size.h) || json_object_get(result, "difference")); /* equal ones have no picture */
}

/* By its file, else by its URL, else by what is stored alone. */
static bool take_ref(const struct call *c, const json_t *result, const char *id, struct view_memory *m)
{
    const char *path = json_string_value(json_object_get(result, "path"));
    const char *ref = json_string_value(json_object_get(result, "ref"));
    bool url = !path && ref && ref_is_url(ref) && (m->stored || c->f->config.network_view);
    if (!path && !m->stored && !url)
        return false;
    m->nowhere = !path && m->stored;
    m->ref = strdup(path ? path : url ? ref : id);
    return true;
}

/* A picture among the parts of an entry, as it is stored, if it is the one that bears the name. */
static bool take_picture(const json_t *part, struct view_memory *m)
{
    const char *view = json_string_value(json_object_get(part, "view"));
    if (!view || strcmp(view, m->id) != 0 || !sha256_unhex(json_string_value(json_object_get(part, "sha256")), m->sha256))
        return false;
    m->size = (struct size){number(part, "width"), number(part, "height")};
    m->crop = (struct area){0, 0, m->size.w, m->size.h};
    m->stored = m->nowhere = true;
    return m->size.w && m->size.h;
}

/* Where the three pictures of a comparison lie: cells and a scale. */
static void take_panels(const json_t *result, struct view_memory *m)
{
    const json_t *cells = json_object_get(result, "cells"), *scale = json_object_get(json_object_get(result, "again"), "panel_scale");
    m->panel_scale[0] = real(scale, 0);
    m->panel_scale[1] = real(scale, 1);
    for (size_t i = 0; i < PANELS; i++) {
        struct area a = area_of(json_object_get(json_array_get(cells, i), "box"));
        bool sound = a.x >= 0 && a.y >= 0 && a.w >= 1 && a.h >= 1 && a.x + a.w <= m->size.w && a.y + a.h <= m->size.h;
        m->panels[i] = sound ? (struct rect){(uint32_t)a.x, (uint32_t)a.y, (uint32_t)a.w, (uint32_t)a.h} : (struct rect){0};
    }
}

/* What it was compared with: by what it is opened again, or where it lay, or what is stored of it alone. */
static bool take_against(const json_t *result, struct view_memory *m)
{
    const json_t *o = json_object_get(result, "against");
    const char *path = json_string_value(json_object_get(o, "path")), *ref = json_string_value(json_object_get(o, "ref"));
    if (!o)
        return !json_object_get(result, "difference");
    m->other_stored = sha256_unhex(json_string_value(json_object_get(o, "sha256")), m->other_sha256);
    if (!m->other_stored && !sha256_unhex(json_string_value(json_object_get(o, "not_stored")), m->other_sha256))
        return false;
    m->other_nowhere = !path && !ref;
    if (m->other_nowhere && !m->other_stored)
        return false;
    m->against = strdup(ref ? ref : path ? path : "-");
    m->against_path = path ? strdup(path) : NULL;
    take_panels(result, m);
    return m->against && !path == !m->against_path;
}

/* A view that one of our tools made. */
static bool take_own(const struct call *c, const json_t *entry, struct view_memory *m)
{
    const json_t *result = json_object_get(entry, "result"), *source = json_object_get(result, "source");
    const char *named = json_string_value(json_object_get(result, "id"));
    if (!named || strcmp(named, m->id) != 0) /* a host's own entry may bear the name of a view, and tell nothing of it */
        return false;
    m->stored = sha256_unhex(json_string_value(json_object_get(source, "sha256")), m->sha256);
    if (!m->stored && !sha256_unhex(json_string_value(json_object_get(source, "not_stored")), m->sha256))
        return false;
    return take_crop(result, m) && take_against(result, m) && take_ref(c, result, m->id, m);
}

/* A picture that a host's tool gave, as it is stored: its name follows from its bytes, so that no other can bear it. */
static bool take_given(const json_t *entry, struct view_memory *m)
{
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(entry, "parts"), i, part) {
        char id[INCOMING_VIEW_LEN + 1];
        if (!take_picture(part, m))
            continue;
        incoming_view_id(m->sha256, id);
        if (strcmp(id, m->id) != 0)
            continue;
        m->ref = strdup(id);
        return true;
    }
    return false;
}

/* What was said of its size. False when out of memory, as of the numbers. */
static bool take_fit(const json_t *again, struct view_memory *m)
{
    const char *model = json_string_value(json_object_get(again, "model"));
    m->max_edge = MIN(number(again, "max_edge"), (uint32_t)LIMIT_SIDE);
    m->full = json_is_true(json_object_get(again, "full"));
    m->model = model ? strdup(model) : NULL;
    return !model || m->model;
}

int recorded_view(const struct call *c, const char *id, bool *ret_known, struct view_memory *ret, struct fovea_fault *fault)
{
    auto_json *entry = NULL;
    struct view_memory m = {0};
    *ret_known = false;
    if (strlen(id) != VIEW_ID_LEN)
        return 0;
    int r = recorded_entry(c->f->record, c->session, id, &entry, fault);
    if (r < 0 || !entry)
        return r;
    memcpy(m.id, id, sizeof m.id);
    if (!take_own(c, entry, &m) && !take_given(entry, &m)) {
        view_memory_done(&m);
        return 0;
    }
    const json_t *result = json_object_get(entry, "result");
    if (!m.ref || !take_fit(json_object_get(result, "again"), &m)) {
        view_memory_done(&m);
        return fault_oom(fault);
    }
    *ret_known = true;
    *ret = m;
    return 0;
}

int recorded_source(const struct call *c, const uint8_t digest[SHA256_LEN], struct snapshot *ret, struct fovea_fault *fault)
{
    auto_free void *data = NULL;
    size_t len;
    int r = record_blob(c->f->record, digest, &data, &len, fault);
    return r < 0 ? r : snapshot_of(data, len, ret, fault);
}

static bool beneath_one(const char *path, const char *const *folders)
{
    for (; folders && *folders; folders++)
        if (path_beneath(path, *folders))
            return true;
    return false;
}

bool recorded_in_reach(const struct call *c, const char *path)
{
    const struct config *g = &c->f->config;
    bool plain = *path == '/' && !strstr(path, "/../") && !strstr(path, "/./");
    bool wide = beneath_one(path, (const char *const *)g->fs_reach) || beneath_one(path, (const char *const *)g->reach_true);
    return plain && wide && (!c->scope.roots || beneath_one(path, c->scope.roots));
}

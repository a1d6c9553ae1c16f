/* SPDX-License-Identifier: Apache-2.0 */
/* Earlier views: a ring, searched from the newest, since what is zoomed into was mostly seen just before. */
#include "api/views.h"

#include <pthread.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/text.h"

struct views {
    pthread_mutex_t lock;
    size_t used, next;
    struct view_memory ring[LIMIT_VIEW_HANDLES];
};

void view_memory_done(struct view_memory *m)
{
    free(m->ref);
    free(m->against);
    free(m->against_path);
    free(m->model);
    *m = (struct view_memory){0};
}

struct views *views_new(void)
{
    struct views *v = calloc(1, sizeof *v);
    if (v)
        (void)pthread_mutex_init(&v->lock, NULL);
    return v;
}

void views_free(struct views *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->used; i++)
        view_memory_done(&v->ring[i]);
    (void)pthread_mutex_destroy(&v->lock);
    free(v);
}

/* The i-th newest, from 0. */
static struct view_memory *newest(struct views *v, size_t i)
{
    return &v->ring[(v->next + LIMIT_VIEW_HANDLES - 1 - i) % LIMIT_VIEW_HANDLES];
}

static struct view_memory *find(struct views *v, const char *id)
{
    for (size_t i = 0; i < v->used; i++)
        if (!strcmp(newest(v, i)->id, id))
            return newest(v, i);
    return NULL;
}

/* A frame of a video that no number names. */
static bool is_timed(const struct perception *p)
{
    return media_row(p->source.media)->class == CLASS_VIDEO && !p->sheet && !p->frame && p->time_ms >= 0;
}

/* What it holds of its own; false: something is missing. */
static bool copy_words(struct view_memory *m, const char *ref, const char *model, const char *against, const char *against_path)
{
    m->ref = copy_new(ref);
    m->model = copy_new(model);
    m->against = copy_new(against);
    m->against_path = copy_new(against_path);
    return !m->ref == !ref && !m->model == !model && !m->against == !against && !m->against_path == !against_path;
}

/* Its place: that of the same view, or of the oldest. */
static struct view_memory *place_for(struct views *v, const char *id)
{
    struct view_memory *m = find(v, id);
    if (m)
        return m;
    m = &v->ring[v->next];
    v->next = (v->next + 1) % LIMIT_VIEW_HANDLES;
    v->used = MIN(v->used + 1, (size_t)LIMIT_VIEW_HANDLES);
    return m;
}

void views_remember(struct views *v, const struct perception *p, const char *ref)
{
    struct view_memory m = {.page = p->page, .last_page = p->last_page, .frame = p->frame,
                            .time_ms = is_timed(p) ? p->time_ms : 0, .asked_ms = p->asked_ms, .timed = is_timed(p),
                            .sheet = p->sheet, .tile = p->page && p->source.tile.w > 0, .limits = p->laid, .crop = p->crop,
                            .region = p->region, .size = p->size, .max_edge = p->asked.max_edge, .full = p->asked.full};
    memcpy(m.other_sha256, p->difference.sha256, SHA256_LEN);
    memcpy(m.panels, p->difference.panels, sizeof m.panels);
    memcpy(m.panel_scale, p->difference.scale, sizeof m.panel_scale);
    memcpy(m.id, p->id, sizeof m.id);
    memcpy(m.sha256, p->source.sha256, SHA256_LEN);
    if (!copy_words(&m, ref, p->asked.model ? p->model : NULL, p->difference.ref, p->difference.path)) {
        view_memory_done(&m);
        return;
    }
    (void)pthread_mutex_lock(&v->lock);
    struct view_memory *place = place_for(v, p->id);
    view_memory_done(place);
    *place = m;
    (void)pthread_mutex_unlock(&v->lock);
}

bool views_recall(struct views *v, const char *id, struct view_memory *ret)
{
    (void)pthread_mutex_lock(&v->lock);
    const struct view_memory *m = find(v, id);
    struct view_memory copy = {0};
    bool whole = false;
    if (m) {
        copy = *m;
        whole = copy_words(&copy, m->ref, m->model, m->against, m->against_path);
    }
    (void)pthread_mutex_unlock(&v->lock);
    if (whole)
        *ret = copy;
    else
        view_memory_done(&copy);
    return whole;
}

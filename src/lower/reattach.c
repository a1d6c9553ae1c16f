/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of tool results for those who cannot take them inside: all of a step behind its results, named in one text, so that the
 * model knows which is which. */
#include "lower/write.h"

bool any_sent(struct writer *w, const struct item *item)
{
    for (size_t i = 0; i < item->e.n_parts; i++)
        if (is_sent(w, item, i))
            return true;
    return false;
}

/* Anthropic takes them inside, but for results that are errors. */
static bool detaches(const struct writer *w, const struct item *item)
{
    bool away = w->wire == LOWER_ANTHROPIC ? item->e.error : w->job.target->tool_image != TOOL_NATIVE;
    return away && item->role == ITEM_RESULT;
}

bool step_sends(struct writer *w)
{
    for (size_t i = 0; i < w->group.n_items; i++)
        if (detaches(w, &w->group.items[i]) && any_sent(w, &w->group.items[i]))
            return true;
    return false;
}

static void write_names(struct writer *w)
{
    size_t n = 0;
    put(w, "Attached image(s) from tool result: ");
    for (size_t i = 0; i < w->group.n_items; i++) {
        const struct item *item = &w->group.items[i];
        for (size_t k = 0; k < item->e.n_parts && detaches(w, item); k++) {
            if (!is_sent(w, item, k))
                continue;
            sink_str(&w->sink, n++ ? ", " : "");
            put_picture_name(w, item, k);
        }
    }
}

void write_detached(struct writer *w, const char *text, const char *close, put_block_fn *put_one)
{
    block_next(w);
    sink_str(&w->sink, text);
    write_names(w);
    sink_str(&w->sink, close);
    for (size_t i = 0; i < w->group.n_items; i++) {
        const struct item *item = &w->group.items[i];
        for (size_t k = 0; k < item->e.n_parts && detaches(w, item); k++) {
            if (!is_sent(w, item, k))
                continue;
            struct shown s = show_part(w, item, k);
            block_next(w);
            if (is_media(&s))
                tell_place(w, &(struct lower_place){w->messages - 1, w->now.blocks - 1, -1}, item->e.seq, k);
            put_one(w, &s);
        }
    }
}

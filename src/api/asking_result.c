/* SPDX-License-Identifier: Apache-2.0 */
/* An answer as a result, cut to what its tool gives. */
#include <errno.h>
#include <string.h>

#include "api/asking.h"
#include "percept/json.h"

/* At most so many characters, then how many there were. */
static char *cut_new(const char *text, size_t most)
{
    size_t chars = 0, at = 0;
    for (size_t i = 0; text[i]; i++) {
        if (((unsigned char)text[i] & 0xC0) == 0x80)
            continue;
        if (chars++ == most)
            at = i;
    }
    if (chars <= most)
        return strdup(text);
    auto_buf b = BUF_INIT(LIMIT_ANSWER_BYTES);
    (void)buf_add(&b, text, at);
    (void)buf_add_format(&b, "\n[truncated — %zu chars total]", chars);
    return buf_take(&b);
}

/* inspect_image has no place for a note: what one must know stands under the answer. */
static char *inspected_new(struct asking *a)
{
    auto_buf b = BUF_INIT(2 * LIMIT_ANSWER_BYTES);
    (void)buf_add_str(&b, a->answer.text);
    if (a->local)
        (void)buf_add_format(&b, "\n\n[%s]", a->note.data);
    else if (a->answer.cut)
        (void)buf_add_str(&b, "\n\n[cut: the model's token limit was reached]");
    return buf_take(&b);
}

static char *note_of(const struct asking *a)
{
    auto_buf b = BUF_INIT(128 * KIB);
    const char *more = a->note.data;
    (void)buf_add_format(&b, "%s%s%s", a->shown ? a->shown : "", a->shown && more ? " " : "", more ? more : "");
    return buf_take(&b);
}

static int fill(struct asking *a, struct answer *to)
{
    const struct wire_usage *u = &a->answer.usage;
    const struct view_job *j = &a->view;
    to->inspected = a->plain;
    to->cached = a->cached;
    to->cost = a->cost;
    to->mime = a->part.media_type;
    to->input_tokens = u->told ? u->input + u->cache_read + u->cache_write : -1;
    to->output_tokens = u->told ? u->output : -1;
    to->parsed = json_incref(a->answer.parsed);
    to->parsed_text = to->parsed ? json_line_new(to->parsed) : NULL;
    to->provider = strdup(a->choice.provider->name);
    to->model = strdup(a->choice.id);
    bool noted = a->shown || a->note.len, file = j->variants.n && j->snapshot.fd >= 0;
    to->note = noted ? note_of(a) : NULL;
    to->path = file ? absolute_new(j->variants.path[j->snapshot.variant]) : NULL;
    to->text = a->plain ? inspected_new(a) : cut_new(a->answer.text, a->most);
    bool whole = to->text && to->provider && to->model && !noted == !to->note && !file == !to->path;
    return whole && !to->parsed == !to->parsed_text && !a->note.error ? 0 : -ENOMEM;
}

int asking_settle(struct asking *a)
{
    cleanup(answer_done) struct answer made = {0};
    if (a->answer.cut && !a->plain)
        asking_note(a, "The answer stops where the model's token limit was reached.");
    asking_keep(a);
    int r = fill(a, &made);
    a->result = r < 0 ? NULL : result_of_answer(&made);
    return a->result ? 1 : fault_oom(a->fault);
}

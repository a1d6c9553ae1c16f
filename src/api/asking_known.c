/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that are known: the same bytes, seen in the same way, and the same question to the same model are not paid for
 * twice. Only what was answered is kept, and nothing of what local/ocr reads, which is free. */
#include <string.h>
#include <time.h>

#include "api/asking.h"
#include "base/json_read.h"
#include "base/json_text.h"
#include "ledger/ledger.h"
#include "percept/json.h"

/* Fields that could run into each other are set apart by their lengths. */
static void add_word(struct buf *b, const char *word)
{
    (void)buf_add_format(b, "%zu:%s\n", word ? strlen(word) : 0, word ? word : "");
}

/* All that decides an answer; the question and the schema are the callers' words, whole. */
static int make_key(struct asking *a)
{
    const struct work_request *w = &a->view.work;
    struct fovea_pages page = a->drawn ? a->page : (struct fovea_pages){w->page, w->last_page};
    auto_buf b = BUF_INIT(4 * MIB);
    char hex[SHA256_HEX_LEN + 1] = "";
    if (a->view.hashed)
        sha256_hex(a->view.sha256, hex);
    (void)buf_add_format(&b, "3 %s drawn %u frame %u time %lld pages %lld-%lld region %u;%u;", hex, a->drawn != DRAWN_NOT,
                         MAX(w->frame, 1u), (long long)w->time_ms, (long long)page.first, (long long)page.last, w->region.set,
                         w->region.space);
    (void)buf_add_reals(&b, (double[]){w->region.x, w->region.y, w->region.w, w->region.h}, 4, ";");
    (void)buf_add_format(&b, " webp %u fit", w->flags);
    (void)buf_add(&b, &w->limits, sizeof w->limits);
    (void)buf_add(&b, &w->layout, sizeof w->layout);
    (void)buf_add_format(&b, " max %lld\n", (long long)a->call->f->config.max_output);
    add_word(&b, a->tool);
    add_word(&b, a->instructions);
    add_word(&b, a->question);
    add_word(&b, a->who);
    add_word(&b, a->choice.effort);
    add_word(&b, a->choice.base_url);
    add_word(&b, a->format);
    add_word(&b, a->part.url);
    if (b.error)
        return fault_oom(a->fault);
    sha256(b.data, b.len, a->key);
    return 0;
}

/* Takes over what was kept; false when it is not what we keep, or too old: the model of that name may be another by now. */
static bool take_kept(struct asking *a, const char *kept)
{
    auto_json *o = json_read(kept, strlen(kept), JSON_ALLOW_NUL, NULL);
    const char *text = json_string_value(json_object_get(o, "text"));
    const char *shown = json_string_value(json_object_get(o, "shown"));
    int64_t age = (int64_t)time(NULL) - json_integer_value(json_object_get(o, "at"));
    if (!text || age < 0 || age > LIMIT_KEPT_DAYS * 86400LL || !(a->answer.text = strdup(text)))
        return false;
    a->answer.parsed = json_incref(json_object_get(o, "parsed"));
    a->answer.cut = json_is_true(json_object_get(o, "cut"));
    a->shown = shown ? strdup(shown) : NULL;
    a->part.media_type = media_mime(json_string_value(json_object_get(o, "mime")));
    a->answer.usage.told = true;
    a->cached = true;
    return true;
}

int asking_recall(struct asking *a)
{
    auto_free char *kept = NULL;
    int r = a->view.snapshot.fd >= 0 ? view_hash(&a->view) : 0;
    if (r == 0)
        r = view_same_source(&a->view); /* the picture's own way asks this too, but not every source takes it */
    if (r > 0)
        return asking_refused(a);
    if (r == 0)
        r = make_key(a);
    if (r < 0)
        return r;
    if (a->no_cache || a->local || answers_find(a->call->f->ledger, a->key, &kept) < 0)
        return 0;
    return take_kept(a, kept) ? asking_settle(a) : 0;
}

void asking_keep(struct asking *a)
{
    if (a->local || a->cached || a->no_cache)
        return;
    auto_json *o = json_pack("{s:s, s:O*, s:s*, s:s*, s:b, s:I}", "text", a->answer.text, "parsed", a->answer.parsed, "shown",
                             a->shown, "mime", a->part.media_type, "cut", a->answer.cut, "at", (json_int_t)time(NULL));
    auto_free char *text = o ? json_line_new(o) : NULL;
    if (text)
        answers_keep(a->call->f->ledger, a->key, text, strlen(text));
}

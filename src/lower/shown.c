/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a part on the wire that is written: itself, words that stand for it, or nothing. One place decides, so that the
 * four wires only differ in how they spell it. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lower/refer.h"
#include "lower/write.h"

/* White space as the languages of the vendors' servers strip it. */
static bool is_space(uint32_t c)
{
    return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
}

/* A letter of a JSON string's inside; 0 for anything that no space is written as. */
static uint32_t letter_at(struct span in, size_t at, size_t *ret_len)
{
    static const char short_forms[] = "t\tn\nr\rf\f";
    const uint8_t *c = (const uint8_t *)in.at + at;
    size_t left = in.len - at;
    *ret_len = c[0] < 0x80 ? 1 : c[0] < 0xe0 ? 2 : 3;
    if (c[0] == '\\' && left >= 6 && c[1] == 'u') {
        char digits[5] = {(char)c[2], (char)c[3], (char)c[4], (char)c[5]};
        *ret_len = 6;
        return (uint32_t)strtoul(digits, NULL, 16);
    }
    if (c[0] == '\\') {
        const char *form = left >= 2 && c[1] ? strchr(short_forms, c[1]) : NULL;
        *ret_len = 2;
        return form ? (uint32_t)form[1] : 0;
    }
    if (*ret_len > left || c[0] >= 0xf0)
        return 0;
    return *ret_len == 1 ? c[0] : *ret_len == 2 ? (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu)
                                                : (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
}

bool is_blank(struct span text)
{
    struct span in = span_inside(text);
    for (size_t i = 0, len; i < in.len; i += len)
        if (!is_space(letter_at(in, i, &len)))
            return false;
    return true;
}

static bool exact(const struct writer *w)
{
    return w->group.kind == GROUP_EXACT;
}

static struct span arguments_of(const struct writer *w, const struct item *item)
{
    bool answers = w->group.kind == GROUP_STEP && item->role == ITEM_RESULT;
    return answers ? w->group.calls[item->call].arguments : (struct span){0};
}

static void tell_fate(struct writer *w, const struct item *item, const struct part *p, enum fate fate)
{
    if (w->job.hooks.fate && !w->looking)
        w->job.hooks.fate(w->job.hooks.arg, item->e.seq, (size_t)(p - item->e.parts), fate);
}

static struct shown show_stub(struct writer *w, const struct item *item, const struct part *p, const char *why)
{
    w->words.len = 0;
    (void)stub_text(&item->e, p, arguments_of(w, item), why, &w->words);
    tell(w, item->e.seq, "part %zu of entry %jd: not shown: %s", (size_t)(p - item->e.parts), (intmax_t)item->e.seq, why);
    tell_fate(w, item, p, FATE_STUB);
    return (struct shown){.form = FORM_WORDS, .part = p};
}

/* What is wrong with its own bytes says more than that it cannot be sent. */
static struct shown show_why(struct writer *w, const struct item *item, const struct part *p, const char *why)
{
    auto_free char *broken = p->broken.len ? span_text_new(p->broken) : NULL;
    return show_stub(w, item, p, broken && *broken ? broken : why);
}

static struct shown show_elided(struct writer *w, const struct item *item, const struct part *p)
{
    w->words.len = 0;
    (void)elided_text(&item->e, p, arguments_of(w, item), &w->words);
    tell_fate(w, item, p, FATE_ELIDED);
    return (struct shown){.form = FORM_WORDS, .part = p};
}

/* What becomes of documents where nobody has decided: Responses and Gemini take files of many kinds. */
static bool takes_document(const struct writer *w, const struct part *p)
{
    return w->wire == LOWER_RESPONSES || w->wire == LOWER_GEMINI || refer_document(w->wire, p);
}

static struct shown show_bytes(struct writer *w, const struct item *item, const struct part *p, const struct decision *d)
{
    struct shown s = {.form = FORM_BYTES, .part = p};
    if (p->type == PART_DOCUMENT && !exact(w) && !takes_document(w, p))
        return show_stub(w, item, p, "documents of this kind are not taken here");
    if (w->looking)
        return s;
    int r = w->job.hooks.payload ? w->job.hooks.payload(w->job.hooks.arg, p, d, &s.payload) : -EBADMSG;
    if (r < 0 && r != -EBADMSG)
        w->error = w->error ? w->error : r;
    if (r < 0)
        return show_stub(w, item, p, "its bytes cannot be had");
    if (refer_is_text(p) && w->wire == LOWER_ANTHROPIC && utf8_valid_prefix(s.payload.data, s.payload.len) < s.payload.len)
        return show_stub(w, item, p, "it is no text");
    /* A block without the places of its bytes is spelled as the host did: for export alone. */
    bool places = p->raw.len && memmem(p->raw.at, p->raw.len, "\"\\u0001", 7);
    s.raw = p->raw.len && is_own(w, &item->e) && (exact(w) || places);
    w->declared = exact(w) ? p->declared : (struct span){0};
    tell_fate(w, item, p, d->fate);
    return s;
}

static struct shown show_reference(struct writer *w, const struct item *item, const struct part *p)
{
    static const enum form forms[] = {[REFER_URL] = FORM_URL, [REFER_FILE] = FORM_FILE};
    struct shown s = {.part = p, .raw = p->raw.len && is_own(w, &item->e)};
    /* Export gives back what came; but a result may stand in it that came from elsewhere. */
    bool back = exact(w) && is_own(w, &item->e);
    enum refer by = back ? refer_spelled(w->wire, &item->e, p) : refer_by(w->wire, &item->e, p);
    if (by != REFER_NONE)
        s.form = forms[by];
    else if (s.raw && !p->url.len && !p->file_id.len)
        s = (struct shown){.form = FORM_VALUE, .part = p, .value = p->raw};
    else
        return show_stub(w, item, p, p->file_id.len ? "its file is not to be had here" : "it cannot be named here");
    tell_fate(w, item, p, FATE_LIVE);
    return s;
}

static const char *barred(const struct writer *w, const struct entry *e, const struct part *p)
{
    const struct target *t = w->job.target;
    if (e->kind == ENTRY_SYSTEM || (e->kind == ENTRY_ASSISTANT && w->wire != LOWER_GEMINI))
        return "it is not taken from this side";
    if (p->broken.len)
        return "it does not decode";
    if (p->type == PART_IMAGE)
        return t->vision ? NULL : "the model takes no images";
    return t->pdf ? NULL : "the model takes no documents";
}

static struct shown show_media(struct writer *w, const struct item *item, size_t i)
{
    const struct part *p = &item->e.parts[i];
    struct decision d = {.fate = FATE_LIVE};
    if (!exact(w)) {
        if (w->job.replay)
            d = replay_fate(w->job.replay, item->e.seq, i);
        const char *why = barred(w, &item->e, p);
        if (d.fate == FATE_ELIDED)
            return show_elided(w, item, p);
        if (why || d.fate == FATE_STUB)
            return show_why(w, item, p, why ? why : d.why ? d.why : "it cannot be sent");
    }
    return p->stored ? show_bytes(w, item, p, &d) : show_reference(w, item, p);
}

static bool is_seen(const struct writer *w, const struct part *p)
{
    if (p->type == PART_TEXT)
        return !is_blank(p->text);
    if (p->type != PART_OPAQUE)
        return true;
    bool own = span_is(span_inside(p->wire), lower_wire_names[w->wire]);
    return !p->thinking && (own || p->broken.len || !is_blank(p->text));
}

void find_last_said(struct writer *w)
{
    const struct group *g = &w->group;
    w->last_seq = -1;
    for (size_t i = 0; i < g->n_items; i++) {
        const struct entry *e = &g->items[i].e;
        for (size_t k = 0; k < e->n_parts && g->items[i].role == ITEM_SAID; k++) {
            if (!is_seen(w, &e->parts[k]))
                continue;
            w->last_seq = e->seq;
            w->last_part = k;
        }
    }
    if (g->n_calls && g->calls[g->n_calls - 1].implicit)
        w->last_seq = INT64_MAX;
}

/* Thoughts that nothing follows are refused, as are those that are bound to what is no longer so. */
static const char *unbound(const struct writer *w, const struct entry *e, size_t i)
{
    if (exact(w) || !e->parts[i].thinking)
        return NULL;
    if (e->seq < w->thinking.before || (e->wire.len && e->seq > w->thinking.behind))
        return "thinking bound to what was changed";
    bool last = e->seq > w->last_seq || (e->seq == w->last_seq && i > w->last_part);
    return last && e->kind == ENTRY_ASSISTANT && w->wire != LOWER_GEMINI ? "thinking that nothing follows" : NULL;
}

bool is_broken(const struct writer *w, const struct part *p)
{
    return p->type == PART_OPAQUE && p->broken.len > 0 && !exact(w);
}

static struct shown show_broken(struct writer *w, const struct item *item, const struct part *p)
{
    w->words.len = 0;
    (void)broken_text(p, &w->words);
    tell_block(w, item->e.seq, (size_t)(p - item->e.parts), "a block that cannot be sent, told as text,", p);
    return (struct shown){.form = FORM_WORDS, .part = p};
}

static struct shown show_opaque(struct writer *w, const struct item *item, size_t i)
{
    const struct part *p = &item->e.parts[i];
    const struct entry *e = &item->e;
    if (is_broken(w, p))
        return show_broken(w, item, p);
    if (span_is(span_inside(p->wire), lower_wire_names[w->wire])) {
        const char *why = unbound(w, e, i);
        if (!why)
            return (struct shown){.form = FORM_VALUE, .part = p, .value = p->value};
        tell(w, e->seq, "part %zu of entry %jd: %s", i, (intmax_t)e->seq, why);
        return (struct shown){.part = p};
    }
    tell_block(w, e->seq, i, p->thinking ? "thinking" : p->text.len ? "a block, told as text," : "a block", p);
    if (p->text.len && !p->thinking && !is_blank(p->text))
        return (struct shown){.form = FORM_TEXT, .part = p, .text = p->text};
    return (struct shown){.part = p};
}

struct shown show_part(struct writer *w, const struct item *item, size_t i)
{
    const struct part *p = &item->e.parts[i];
    if (p->type == PART_IMAGE || p->type == PART_DOCUMENT)
        return show_media(w, item, i);
    if (p->type == PART_OPAQUE)
        return show_opaque(w, item, i);
    if (p->type == PART_TOOL_CALL)
        return (struct shown){.form = FORM_CALL, .part = p, .raw = p->raw.len && is_own(w, &item->e)};
    if (is_blank(p->text) && !exact(w))
        return (struct shown){.part = p};
    return (struct shown){.form = FORM_TEXT, .part = p, .text = p->text, .raw = p->raw.len && is_own(w, &item->e)};
}

bool is_plain_text(struct writer *w, const struct item *item, struct span *ret)
{
    const struct entry *e = &item->e;
    if (e->n_parts != 1 || e->parts[0].type != PART_TEXT || (e->parts[0].raw.len && is_own(w, e)))
        return false;
    if (!e->plain || (is_blank(e->parts[0].text) && !exact(w)))
        return false;
    *ret = e->parts[0].text;
    return true;
}

bool is_media(const struct shown *s)
{
    return s->form == FORM_BYTES || s->form == FORM_URL || s->form == FORM_FILE;
}

bool is_sent(struct writer *w, const struct item *item, size_t i)
{
    const struct part *p = &item->e.parts[i];
    if (p->type != PART_IMAGE && p->type != PART_DOCUMENT)
        return false;
    w->looking = true;
    struct shown s = show_part(w, item, i);
    w->looking = false;
    return is_media(&s);
}

void put_picture_name(struct writer *w, const struct item *item, size_t i)
{
    const struct part *p = &item->e.parts[i];
    w->words.len = 0;
    (void)picture_name(&item->e, p, arguments_of(w, item), &w->words);
    sink_escaped(&w->sink, w->words.data, w->words.len);
    if (span_inside(p->view).len) {
        put(w, " (");
        put_span(w, span_inside(p->view));
        put(w, ")");
    }
}

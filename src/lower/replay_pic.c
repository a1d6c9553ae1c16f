/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One picture or document: what it costs this model, and what must be done to it before it may be sent at all. Sizes of
 * versions that are not made yet are planned (fit_target), and their bytes are the bound that they are made within: a decision
 * never depends on whether they were made.
 */
#include <string.h>

#include "base/b64.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "lower/refer.h"
#include "lower/replay_priv.h"
#include "lower/terms.h"

enum {
    UNKNOWN_TOKENS = 1500,  /* of a picture whose size is not known */
    USUAL_PATCH = 28,       /* where a model's rule is not known: as Claude's smaller one, the commonest */
    USUAL_TOKENS = 1568,
    USUAL_BYTES = 512000,   /* of a version that we make, as of a view */
    LEAST_BYTES = 65536,    /* and no version is asked to be smaller for its own sake */
    URL_BYTES = 2048,
    PAGE_BYTES = 50000,     /* of a document whose pages nobody counted */
    REPAIR_EDGE = 1568,
    REPAIR_LEAST = 256,
    REPAIR_BYTES = 262144,
    PLAIN_EDGE = 2000,      /* of a picture whose size is not known */
};

/* Tokens of a page: its picture and its words. Anthropic says 1,500 to 3,000 for the words alone; Gemini 2 counts 258 a page. */
enum { GEMINI_2_PAGE = 258, TEXT_TOKEN_BYTES = 4 };
static const int page_tokens[LOWER_WIRES] = {
    [LOWER_ANTHROPIC] = 3000, [LOWER_CHAT] = 1500, [LOWER_RESPONSES] = 1500, [LOWER_GEMINI] = 560};

static const struct {
    uint32_t edge, bytes;
} levels[PIC_LEVELS + 1] = {{0, 0}, {1568, 262144}, {1024, 131072}, {512, 32768}};

static int64_t image_tokens(const struct target *t, struct size s)
{
    if (!s.w || !s.h)
        return UNKNOWN_TOKENS;
    if (t->rule)
        return tokens_count(t->rule, s);
    int64_t n = ((int64_t)s.w + USUAL_PATCH - 1) / USUAL_PATCH * (((int64_t)s.h + USUAL_PATCH - 1) / USUAL_PATCH);
    return MIN(n, USUAL_TOKENS);
}

static int64_t above_stub(int64_t tokens)
{
    return MAX(tokens - STUB_TOKENS, 0);
}

static int64_t b64_bytes(int64_t raw)
{
    return B64_LEN(MAX(raw, 0));
}

static uint32_t clamp_bytes(int64_t bytes)
{
    return bytes <= 0 ? USUAL_BYTES : (uint32_t)MIN(MAX(bytes, LEAST_BYTES), USUAL_BYTES);
}

bool refit_equal(const struct refit *a, const struct refit *b)
{
    return a->max_edge == b->max_edge && a->min_edge == b->min_edge && a->max_bytes == b->max_bytes &&
           a->no_webp == b->no_webp && a->no_gif == b->no_gif;
}

struct sent pic_gone(const struct pic *p, enum fate fate, const char *why)
{
    return (struct sent){.fate = fate, .why = why, .refit = p->sent.refit, .size = p->sent.size, .level = p->sent.level};
}

/* ---------------------------------------------------------------- versions */

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return !a ? b : !b ? a : MIN(a, b);
}

/* Within everything that the target wants of any picture, and within what was asked of it before. */
struct sent pic_refit(const struct replay *r, const struct pic *p, const struct refit *want, uint8_t level)
{
    const struct target *t = r->target;
    const struct refit *had = p->sent.fate == FATE_REFIT ? &p->sent.refit : &(struct refit){0};
    struct refit f = {
        .max_edge = least_of(least_of(want->max_edge, had->max_edge), t->limits.many_side ? t->limits.many_side : t->limits.side),
        .min_edge = t->limits.least_side,
        .max_bytes = least_of(want->max_bytes, had->max_bytes),
        .no_webp = want->no_webp || had->no_webp || !t->webp,
        .no_gif = want->no_gif || had->no_gif || !t->gif,
    };
    if (t->limits.image_bytes)
        f.max_bytes = (uint32_t)MIN((int64_t)f.max_bytes, MAX(t->limits.image_bytes / 4 * 3, 1));
    struct fit_limits plan = {.max_edge = f.max_edge, .min_edge = f.min_edge, .max_bytes = f.max_bytes, .resize = 1};
    struct size size = p->w && p->h ? fit_target(&plan, (struct size){p->w, p->h}) : (struct size){0};
    return (struct sent){.fate = FATE_REFIT, .refit = f, .size = size, .b64 = b64_bytes(f.max_bytes), .level = level,
                         .tokens = above_stub(image_tokens(t, size))};
}

struct sent pic_within(const struct replay *r, const struct pic *p, uint32_t edge)
{
    struct refit want = {.max_edge = edge, .max_bytes = clamp_bytes(p->bytes)};
    return pic_refit(r, p, &want, p->sent.level);
}

struct sent pic_smaller(const struct replay *r, const struct pic *p, uint8_t level)
{
    struct refit want = {.max_edge = levels[level].edge, .max_bytes = levels[level].bytes};
    return pic_refit(r, p, &want, level);
}

struct sent pic_repaired(const struct replay *r, const struct pic *p)
{
    uint32_t edge = MAX(p->w, p->h);
    edge = edge ? MIN((uint32_t)REPAIR_EDGE, MAX((uint32_t)REPAIR_LEAST, edge / 4 * 3)) : REPAIR_EDGE;
    struct refit want = {.max_edge = edge, .max_bytes = MIN((uint32_t)REPAIR_BYTES, clamp_bytes(p->bytes)),
                         .no_webp = true, .no_gif = true};
    return pic_refit(r, p, &want, MAX(p->sent.level, 1));
}

/* ---------------------------------------------------------------- coming in */

static bool media_is(const struct part *p, const char *type)
{
    return span_is(span_inside(p->media_type), type);
}

static bool media_among(const struct part *p, const char *const *types)
{
    for (; *types; types++)
        if (media_is(p, *types))
            return true;
    return false;
}

static bool image_type_taken(const struct target *t, const struct part *p)
{
    static const char *const taken[] = {"image/png", "image/jpeg", "image/webp", "image/gif", NULL};
    static const char *const gemini[] = {"image/heic", "image/heif", NULL};
    return media_among(p, taken) || (t->wire == LOWER_GEMINI && media_among(p, gemini));
}

/* Pictures that nobody takes, but of which a worker makes others. */
static bool image_type_converted(const struct part *p)
{
    static const char *const converted[] = {"image/bmp", "image/tiff", "image/heic", "image/heif", "image/avif",
                                            "image/vnd.microsoft.icon", NULL};
    return media_among(p, converted);
}

/* Why a part without bytes cannot be named; NULL when it can. What this wire wrote and we did not read goes back as it was. */
static const char *unnamed(const struct target *t, const struct entry *e, const struct part *p)
{
    bool own = p->raw.len && span_is(span_inside(e->wire), lower_wire_names[t->wire]);
    if (refer_by(t->wire, e, p) != REFER_NONE || (own && !p->url.len && !p->file_id.len))
        return NULL;
    return p->file_id.len ? "its file is not to be had here" : p->url.len ? "it cannot be named here" : "there are no bytes of it";
}

/* Why an image can never be sent; NULL when it can. */
static const char *image_barred(const struct target *t, const struct entry *e, const struct part *p)
{
    if (!t->vision)
        return "the model takes no images";
    if (p->broken.len)
        return "it does not decode";
    if (!p->stored)
        return unnamed(t, e, p);
    return image_type_taken(t, p) || image_type_converted(p) ? NULL : "pictures of this kind are not taken";
}

static const char *document_barred(const struct target *t, const struct entry *e, const struct part *p, const struct pic *pic)
{
    if (!t->pdf)
        return "the model takes no documents";
    if (!p->stored)
        return unnamed(t, e, p);
    if (!refer_document(t->wire, p))
        return "documents of this kind are not taken here";
    if (t->limits.pdf_bytes && pic->bytes > t->limits.pdf_bytes)
        return "the document is too large";
    return t->limits.pdf_pages && pic->pages > t->limits.pdf_pages ? "the document has too many pages" : NULL;
}

/* Whether a picture breaks a rule that has nothing to do with other pictures. */
static bool breaks_rule(const struct replay *r, const struct pic *p)
{
    const struct target *t = r->target;
    const struct target_limits *l = &t->limits;
    uint32_t longest = MAX(p->w, p->h), shortest = MIN(p->w, p->h);
    return p->foreign || (p->webp && !t->webp) || (p->gif && !t->gif) || !p->w || !p->h || (l->side && longest > l->side) ||
           (l->least_side && shortest < l->least_side) || (l->image_bytes && b64_bytes(p->bytes) > l->image_bytes) ||
           (r->s.many && l->many_side && longest > l->many_side);
}

/* Another format of the same picture may need more bytes. */
enum { FORMAT_ROOM = 3 };

static struct sent image_sent(const struct replay *r, const struct pic *p)
{
    const struct target *t = r->target;
    struct size size = {p->w, p->h};
    if (p->stored && breaks_rule(r, p)) {
        bool format = p->foreign || (p->webp && !t->webp) || (p->gif && !t->gif);
        struct refit want = {.max_edge = p->w && p->h ? 0 : PLAIN_EDGE,
                             .max_bytes = clamp_bytes(format ? p->bytes * FORMAT_ROOM : p->bytes)};
        struct sent made = pic_refit(r, p, &want, 0);
        bool thin = made.size.w && MIN(made.size.w, made.size.h) < t->limits.least_side;
        return thin ? pic_gone(p, FATE_STUB, "it is too narrow to be sent") : made;
    }
    return (struct sent){.fate = FATE_LIVE, .size = size, .b64 = p->stored ? b64_bytes(p->bytes) : URL_BYTES,
                         .tokens = above_stub(image_tokens(t, size))};
}

static struct sent document_sent(const struct replay *r, const struct part *part, const struct pic *p)
{
    const struct target *t = r->target;
    bool old = t->wire == LOWER_GEMINI && terms_gemini_version(t->model) == 2;
    int64_t tokens = (int64_t)p->pages * (old ? GEMINI_2_PAGE : page_tokens[t->wire]);
    if (p->stored && refer_is_text(part))
        tokens = p->bytes / TEXT_TOKEN_BYTES;
    return (struct sent){.fate = FATE_LIVE, .b64 = p->stored ? b64_bytes(p->bytes) : URL_BYTES, .tokens = above_stub(tokens)};
}

static uint32_t pages_of(const struct part *p, int64_t bytes)
{
    return p->pages ? p->pages : (uint32_t)MIN(bytes / PAGE_BYTES + 1, UINT32_MAX);
}

void pic_init(const struct replay *r, const struct entry *e, const struct part *p, bool viewable, struct pic *ret)
{
    bool image = p->type == PART_IMAGE;
    int64_t bytes = MIN(MAX(p->bytes, 0), (int64_t)LIMIT_BLOB_BYTES);
    struct pic pic = {
        .seq = e->seq, .part = (uint32_t)(p - e->parts), .turn = (uint32_t)r->turn, .stored = p->stored, .image = image,
        .viewable = viewable, .webp = media_is(p, "image/webp"), .gif = media_is(p, "image/gif"),
        .foreign = image && !image_type_taken(r->target, p) && image_type_converted(p), .w = p->width, .h = p->height, .pages = image ? 0 : pages_of(p, bytes), .bytes = bytes, .text_at = r->text, .think_at = r->think,
        .prev = PIC_NONE, .next = PIC_NONE};
    memcpy(pic.sha256, p->sha256, SHA256_LEN);
    const char *why = image ? image_barred(r->target, e, p) : document_barred(r->target, e, p, &pic);
    if (why)
        pic.sent = pic_gone(&pic, FATE_STUB, why);
    else
        pic.sent = image ? image_sent(r, &pic) : document_sent(r, p, &pic);
    *ret = pic;
}

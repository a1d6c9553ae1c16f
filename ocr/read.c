/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading with Tesseract's neural engine. What screens show is unlike the scans it was trained on, so a picture is made
 * more like one first: small ones are doubled, since letters of a screen have half the height it knows best, and dark
 * ones are inverted, which also saves it from reading each line twice. A resolution is named: without one Tesseract guesses it by
 * the letters, and where it takes them for larger than they are it tears the lines of a page into columns (half of the words of
 * some pages were lost). The page is then taken apart by words, in reading order, so that every line has its own confidence.
 */
#include "read.h"

#include <errno.h>
#include <leptonica/allheaders.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tesseract/capi.h>

#include "base/limits.h"
#include "base/text.h"
#include "sandbox/proto.h"

enum {
    DOUBLED_PIXELS = 2500000, /* a picture of up to so many is doubled; 1920x1200 is one */
    DARK = 110,               /* mean luminance of a picture whose text is taken to be light */
    SHARE = 100,              /* confidences are told in hundredths of a percent */
    PAGE_DPI = 200,           /* what a page of paper has in about so many pixels; from 150 to 300 is all the same */
};

struct reader {
    TessBaseAPI *api;
};

static void done_pix(struct Pix **p)
{
    pixDestroy(p);
}

static void done_words(TessResultIterator **i)
{
    if (*i)
        TessResultIteratorDelete(*i);
}

static void done_text(char **text)
{
    if (*text)
        TessDeleteText(*text);
}

/*
 * Whether that can be a traineddata file with a neural engine in it: a count, as many offsets, all within. Tesseract
 * would look for another file instead of one that it cannot take apart, and the jail does not forgive that.
 */
static bool data_sound(const uint8_t *data, size_t len)
{
    enum { LSTM = 17, MOST = 1000 }; /* the engine's place; Tesseract's own ceiling */
    int32_t count;
    int64_t at, engine = -1;
    if (len < sizeof count)
        return false;
    memcpy(&count, data, sizeof count);
    if (count <= LSTM || count > MOST || len < sizeof count + (size_t)count * sizeof at)
        return false;
    for (int32_t i = 0; i < count; i++) {
        memcpy(&at, data + sizeof count + (size_t)i * sizeof at, sizeof at);
        if (at != -1 && (at < (int64_t)sizeof count || (uint64_t)at >= len))
            return false;
        if (i == LSTM)
            engine = at;
    }
    return engine != -1;
}

int reader_new(const void *data, size_t len, const char *language, struct reader **ret)
{
    if (!data_sound(data, len))
        return -EINVAL;
    auto_free struct reader *r = calloc(1, sizeof *r);
    if (!r || !(r->api = TessBaseAPICreate()))
        return -ENOMEM;
    if (TessBaseAPIInit5(r->api, data, (int)len, language, OEM_LSTM_ONLY, NULL, 0, NULL, NULL, 0, 0))
        return -EINVAL; /* the process ends before long; the rest need not be undone */
    *ret = take(r);
    return 0;
}

void reader_libraries(char *out, size_t room)
{
    (void)snprintf(out, room, "tesseract %s, leptonica %d.%d.%d", TessVersion(), LIBLEPT_MAJOR_VERSION,
                   LIBLEPT_MINOR_VERSION, LIBLEPT_PATCH_VERSION);
}

/* ---------------------------------------------------------------- the picture */

/* Leptonica keeps pixels in words, the first in the highest byte. Returns their sum. */
static uint64_t fill(struct Pix *pix, const uint8_t *gray, uint32_t width, uint32_t height)
{
    uint64_t sum = 0;
    l_uint32 *words = pixGetData(pix);
    size_t stride = (size_t)pixGetWpl(pix);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint8_t v = gray[(size_t)y * width + x];
            words[y * stride + x / 4] |= (uint32_t)v << (24 - 8 * (x % 4));
            sum += v;
        }
    return sum;
}

static int prepare(const uint8_t *gray, uint32_t width, uint32_t height, struct Pix **ret)
{
    cleanup(done_pix) struct Pix *pix = pixCreate((l_int32)width, (l_int32)height, 8);
    if (!pix)
        return -ENOMEM;
    uint64_t pixels = (uint64_t)width * height, sum = fill(pix, gray, width, height);
    if (sum < pixels * DARK && pixInvert(pix, pix) != pix)
        return -ENOMEM;
    bool thin = MIN(width, height) < 2, large = pixels > DOUBLED_PIXELS || MAX(width, height) > LIMIT_OCR_SIDE / 2;
    if (thin || large) {
        *ret = take(pix);
        return 0;
    }
    *ret = pixScaleGray2xLI(pix);
    return *ret ? 0 : -ENOMEM;
}

/* ---------------------------------------------------------------- the text */

struct page {
    struct buf text, lines;
    struct work_text head;
    struct work_line line; /* the one that is being put together */
    double line_sum, sum;
};

static void page_done(struct page *p)
{
    buf_done(&p->text);
    buf_done(&p->lines);
}

static int end_line(struct page *p)
{
    if (!p->line.words)
        return 0;
    p->line.len = (uint32_t)p->text.len - p->line.at;
    p->line.confidence = (uint32_t)lround(p->line_sum / p->line.words * SHARE);
    p->head.lines++;
    p->head.words += p->line.words;
    p->sum += p->line_sum;
    int e = buf_add(&p->lines, &p->line, sizeof p->line);
    p->line = (struct work_line){0};
    p->line_sum = 0;
    return e;
}

/* What separates a word from the one before it; nothing before the first. */
static int separate(struct page *p, bool new_paragraph)
{
    if (p->line.words)
        return buf_add_str(&p->text, " ");
    int e = p->text.len ? buf_add_str(&p->text, new_paragraph ? "\n\n" : "\n") : 0;
    p->line.at = (uint32_t)p->text.len;
    return e;
}

/* Tesseract may leave blanks at the ends of a word; they are not of it. */
static char *trim(char *word)
{
    word += strspn(word, " ");
    size_t len = strlen(word);
    while (len && word[len - 1] == ' ')
        len--;
    word[len] = '\0';
    return word;
}

/* Letters only: a word of blanks stands for a picture in the picture. */
static bool is_word(const char *word)
{
    for (const char *c = word; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return false;
    return *word && utf8_valid(word, strlen(word));
}

/* Whether the page holds one more word of that length, with what may stand before it. */
static bool has_room(struct page *p, size_t len)
{
    bool fits = p->text.len + len + 2 <= LIMIT_OCR_TEXT && p->head.lines < LIMIT_OCR_LINES;
    p->head.cut |= !fits;
    return fits;
}

static int add_word(struct page *p, const char *word, double confidence, bool new_paragraph)
{
    int e = separate(p, new_paragraph);
    p->line.words++;
    p->line_sum += fmin(fmax(confidence, 0), 100);
    return e ? e : buf_add_str(&p->text, word);
}

static int gather(struct reader *r, struct page *p)
{
    cleanup(done_words) TessResultIterator *words = TessBaseAPIGetIterator(r->api);
    const TessPageIterator *place = words ? TessResultIteratorGetPageIteratorConst(words) : NULL;
    bool paragraph = false;
    int e = 0;
    if (!words)
        return 0;
    do {
        cleanup(done_text) char *found = TessResultIteratorGetUTF8Text(words, RIL_WORD);
        const char *word = found ? trim(found) : "";
        if (TessPageIteratorIsAtBeginningOf(place, RIL_TEXTLINE))
            e = end_line(p);
        paragraph |= TessPageIteratorIsAtBeginningOf(place, RIL_PARA);
        if (e || !is_word(word))
            continue;
        if (!has_room(p, strlen(word)))
            break;
        e = add_word(p, word, TessResultIteratorConfidence(words, RIL_WORD), paragraph);
        paragraph = false;
    } while (!e && TessResultIteratorNext(words, RIL_WORD));
    return e ? e : end_line(p);
}

/* A page first; what has none of its structure, such as a word alone, as scattered text. */
static int recognize(struct reader *r, struct Pix *pix, struct page *p)
{
    static const TessPageSegMode modes[] = {PSM_AUTO, PSM_SPARSE_TEXT};
    int e = 0;
    for (size_t i = 0; i < COUNT(modes) && !p->head.words && !e; i++) {
        TessBaseAPISetPageSegMode(r->api, modes[i]);
        TessBaseAPISetImage2(r->api, pix);
        e = TessBaseAPIRecognize(r->api, NULL) ? 0 : gather(r, p);
    }
    return e;
}

int reader_read(struct reader *r, const uint8_t *gray, uint32_t width, uint32_t height, struct buf *ret)
{
    cleanup(done_pix) struct Pix *pix = NULL;
    cleanup(page_done) struct page p = {.text = BUF_INIT(LIMIT_OCR_TEXT),
                                        .lines = BUF_INIT(LIMIT_OCR_LINES * sizeof(struct work_line)),
                                        .head = {.magic = WORK_MAGIC}};
    int e = prepare(gray, width, height, &pix);
    if (!e && pixSetResolution(pix, PAGE_DPI, PAGE_DPI))
        e = -ENOMEM;
    if (!e)
        e = recognize(r, pix, &p);
    if (e)
        return e;
    p.head.text_len = (uint32_t)p.text.len;
    p.head.confidence = p.head.words ? (uint32_t)lround(p.sum / p.head.words * SHARE) : 0;
    e = buf_add(ret, &p.head, sizeof p.head);
    if (!e && p.lines.len)
        e = buf_add(ret, p.lines.data, p.lines.len);
    return e || !p.text.len ? e : buf_add(ret, p.text.data, p.text.len);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small grey pictures to what fovea-ocr makes of Tesseract's words: noise, flat grounds and letters of any size, dark or light, on one
 * ground or on many. What comes is believed by the parent's own check; adds up as an own reader counts it, words by their blanks and the
 * confidence of all by that of each line; has no blank at an end of a line; and is the same for the same picture once more.
 * Tesseract and Leptonica have no checks of their own here. Without the data of English there is nothing to read with.
 * about: ocr/read.c src/sandbox/check_text.c
 * max_len: 1024
 */
#include "fuzz.h"

#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "letters.h"
#include "ocr/read.h"
#include "sandbox/check.h"
#include "sandbox/proto.h"

enum { WIDEST = 160, HIGHEST = 72 };
static struct reader *reader;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char *const files[] = {"/usr/share/tesseract-ocr/5/tessdata/eng.traineddata", "/usr/share/tessdata/eng.traineddata"};
    (void)argc;
    (void)argv;
    for (size_t i = 0; i < COUNT(files) && !reader; i++) {
        auto_close int fd = open(files[i], O_RDONLY | O_CLOEXEC);
        off_t len = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
        const void *data = len > 0 ? mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
        CLAIM(data == MAP_FAILED || reader_new(data, (size_t)len, "eng", &reader) == 0);
    }
    if (!reader)
        (void)fprintf(stderr, "skipped: there is no language data of English (tesseract-ocr-eng)\n");
    return 0;
}

/* ---------------------------------------------------------------- the picture */

/* Rows of w * h, as they would come from the worker: grounds, letters, then dots. */
static uint8_t *draw(struct feed *f, uint32_t w, uint32_t h)
{
    uint8_t ground = feed_u8(f), ink = feed_u8(f), how = feed_u8(f), n = feed_u8(f) % 40;
    uint32_t dot = 1 + how % 3, x = feed_u8(f) % w, y = feed_u8(f) % h;
    char words[41];
    auto_free uint8_t *rgba = calloc(4, (size_t)w * h);
    uint8_t *gray = malloc((size_t)w * h);
    CLAIM(rgba && gray);
    feed_take(f, words, n);
    for (uint8_t i = 0; i < n; i++) /* capitals most of the time */
        words[i] = (char)("ABCDEFGHIJKLMNOPQRSTUVWXYZ  \n\n\n\n"[words[i] & 31]);
    words[n] = '\0';
    letters_draw(&(struct paper){rgba, w, h}, words, x / 4, y / 4, dot, 0x01010101u);
    for (size_t i = 0; i < (size_t)w * h; i++)
        gray[i] = rgba[4 * i] ? ink : how & 64 ? (uint8_t)(ground + i % w) : ground;
    for (size_t i = how & 128 ? 0 : f->left, step = 1 + f->left / 64; f->left && i < (size_t)w * h; i += step)
        gray[i] ^= feed_u8(f);
    return gray;
}

/* ---------------------------------------------------------------- the other reader */

static size_t words_in(const char *s, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += s[i] != ' ' && (i == 0 || s[i - 1] == ' ');
    return n;
}

static void claim_text(const struct buf *b)
{
    struct work_text head;
    double sum = 0;
    uint64_t words = 0;
    CLAIM(check_text((const uint8_t *)b->data, b->len));
    memcpy(&head, b->data, sizeof head);
    const char *text = b->data + b->len - head.text_len;
    CLAIM(!head.cut && !memchr(text, '\0', head.text_len));
    for (uint32_t i = 0; i < head.lines; i++) {
        struct work_line l;
        memcpy(&l, b->data + sizeof head + i * sizeof l, sizeof l);
        const char *s = text + l.at;
        size_t n = words_in(s, l.len);
        CLAIM(n >= l.words && s[0] != ' ' && s[l.len - 1] != ' ');
        words += l.words;
        sum += (double)l.confidence * l.words;
        if (i)
            CLAIM(l.at - (size_t)(s[-2] == '\n') >= 1 && s[-1] == '\n');
    }
    CLAIM(words == head.words);
    CLAIM(!words || fabs(sum / (double)words - head.confidence) <= 1.5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    uint32_t w = 1 + feed_u8(&f) % WIDEST, h = 1 + feed_u8(&f) % HIGHEST;
    bool twice = len % 4 == 3;
    auto_buf first = BUF_INIT(LIMIT_OCR_OUTPUT), second = BUF_INIT(LIMIT_OCR_OUTPUT);
    if (!reader)
        return 0;
    auto_free uint8_t *gray = draw(&f, w, h);
    CLAIM(reader_read(reader, gray, w, h, &first) == 0);
    claim_text(&first);
    if (twice) {
        CLAIM(reader_read(reader, gray, w, h, &second) == 0);
        CLAIM(first.len == second.len && !memcmp(first.data, second.data, first.len));
    }
    return 0;
}

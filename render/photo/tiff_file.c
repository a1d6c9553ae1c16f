/* SPDX-License-Identifier: Apache-2.0 */
/* libtiff over bytes in memory. It prints nothing; its first error is kept as the phrase of a refusal, and warnings that say it
 * made pixels up are remembered, since it goes on after these. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "tiff.h"

static tmsize_t read_bytes(thandle_t h, void *out, tmsize_t n)
{
    struct tiff_file *f = h;
    size_t len = f->at < f->len && n > 0 ? MIN((size_t)n, f->len - f->at) : 0;
    memcpy(out, f->data + MIN(f->at, f->len), len);
    f->at += len;
    return (tmsize_t)len;
}

static tmsize_t write_nothing(thandle_t h, void *data, tmsize_t n)
{
    (void)h;
    (void)data;
    (void)n;
    return -1;
}

static toff_t seek(thandle_t h, toff_t to, int whence)
{
    struct tiff_file *f = h;
    toff_t from = whence == SEEK_CUR ? f->at : whence == SEEK_END ? f->len : 0, at;
    if (__builtin_add_overflow(from, to, &at))
        return (toff_t)-1;
    return f->at = at;
}

static int close_nothing(thandle_t h)
{
    (void)h;
    return 0;
}

static toff_t size(thandle_t h)
{
    return ((struct tiff_file *)h)->len;
}

/* libtiff asks for memory that it might write, and does not. */
static int map(thandle_t h, void **ret, toff_t *ret_len)
{
    struct tiff_file *f = h;
    *ret = (void *)(uintptr_t)f->data;
    *ret_len = f->len;
    return 1;
}

static void unmap(thandle_t h, void *base, toff_t len)
{
    (void)h;
    (void)base;
    (void)len;
}

__attribute__((format(printf, 4, 0))) static int on_error(TIFF *tiff, void *of, const char *module, const char *format,
                                                          va_list args)
{
    struct tiff_file *f = of;
    (void)tiff;
    (void)module;
    if (!f->words.detail[0])
        (void)vsnprintf(f->words.detail, sizeof f->words.detail, format, args);
    return 1;
}

__attribute__((format(printf, 4, 0))) static int on_warning(TIFF *tiff, void *of, const char *module, const char *format,
                                                            va_list args)
{
    /* The last: of a tag, such as the profile, which it then leaves out. */
    static const char *const made_up[] = {"Premature EOF", "Premature end", "Corrupt", "Bad code", "Uncompressed data",
                                          "Not enough data", "Invalid JPEG", "IO error during reading"};
    struct tiff_file *f = of;
    char words[WORK_DETAIL];
    (void)tiff;
    (void)module;
    (void)vsnprintf(words, sizeof words, format, args);
    for (size_t i = 0; i < COUNT(made_up) && !f->damaged; i++)
        if (strstr(words, made_up[i])) {
            f->damaged = true;
            if (!f->words.detail[0])
                memcpy(f->words.detail, words, sizeof words);
        }
    return 1;
}

int tiff_file_open(struct tiff_file *f, const uint8_t *data, size_t len, struct complaint *c)
{
    *f = (struct tiff_file){.data = data, .len = len};
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, LIMIT_TIFF_ROWS);
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, f);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, f);
    /* h: the header only; the directory that is wanted is read later. */
    f->tiff = TIFFClientOpenExt("TIFF", "rh", f, read_bytes, write_nothing, seek, close_nothing, size, map, unmap, options);
    TIFFOpenOptionsFree(options);
    return f->tiff ? WORK_OK : tiff_file_refuse(f, "the header is damaged", c);
}

void tiff_file_close(struct tiff_file *f)
{
    if (f->tiff)
        TIFFClose(f->tiff);
    f->tiff = NULL;
}

int tiff_file_refuse(const struct tiff_file *f, const char *otherwise, struct complaint *c)
{
    return complain(c, WORK_MALFORMED, "%s", f->words.detail[0] ? f->words.detail : otherwise);
}

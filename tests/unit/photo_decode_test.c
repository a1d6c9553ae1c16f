/* SPDX-License-Identifier: Apache-2.0 */
/* The decoders of fovea-photo, called directly: whole files, cut ones, damaged ones. Their pixels are looked at by
 * tests/render/photo_test.sh. */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "built.h"
#include "render/photo/heif_gap.h"
#include "render/photo/photo.h"
#include "source/sniff.h"

enum { MOST_FILES = 256, SMALL = 32 << 10, FLIPS = 60 };

/* dav1d loses 40 bytes when it is given no data at all, as damaged files do. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libdav1d\n";
}

struct file {
    char name[256];
    uint8_t *data;
    size_t len;
    const struct decoder_ops *ops;
};

static const struct decoder_ops *ops_of(enum media media)
{
    static const struct decoder_ops *const all[] = {&decode_bmp, &decode_ico, &decode_tiff, &decode_heic, &decode_avif};
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i]->media == media)
            return all[i];
    return NULL;
}

static bool load(const char *folder, const char *name, struct file *ret)
{
    char path[LIMIT_PATH_BYTES + 256];
    struct stat st;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
        return false;
    size_t len = (size_t)st.st_size, at = 0;
    uint8_t *data = malloc(len + 1);
    for (ssize_t n; data && at < len && (n = read(fd, data + at, len - at)) > 0;)
        at += (size_t)n;
    struct sniff s;
    sniff(data, MIN(len, LIMIT_SNIFF_BYTES), len, &s);
    *ret = (struct file){.data = data, .len = len, .ops = ops_of(s.media)};
    (void)snprintf(ret->name, sizeof ret->name, "%s", name);
    return true;
}

static size_t load_folder(const char *under, struct file *files)
{
    char folder[LIMIT_PATH_BYTES];
    size_t n = 0;
    (void)snprintf(folder, sizeof folder, "%s/photos/%s", build_folder(), under);
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) && n < MOST_FILES;)
        n += load(folder, e->d_name, &files[n]);
    if (d)
        closedir(d);
    return n;
}

static void free_files(struct file *files, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(files[i].data);
}

/* All rows of a page. The bytes are copied to a block of their own length, so that a sanitizer sees what is read past it. */
static int decode(const struct decoder_ops *ops, const uint8_t *bytes, size_t len, uint32_t page, struct header *h)
{
    auto_free uint8_t *data = malloc(len ? len : 1);
    struct work_request request = {.page = page};
    struct source s = {.data = data, .len = len, .request = &request};
    struct decoder *d = NULL;
    struct complaint c = {""};
    struct size size = {0};
    if (!data)
        return WORK_NO_MEMORY;
    memcpy(data, bytes, len);
    int status = ops->open(&s, &d, h, &c);
    if (status)
        return status;
    struct want want = {.frame = 1, .channels = h->channels, .least = {h->width, h->height}};
    status = ops->start(d, &want, &size, &c);
    auto_free uint8_t *row = status ? NULL : malloc((size_t)size.w * h->channels);
    for (uint32_t y = 0; !status && row && y < size.h; y++)
        status = ops->row(d, row, &c);
    if (!status)
        status = ops->finish(d, &c);
    ops->close(d);
    return status;
}

TEST(every_fixture_decodes_and_every_cut_of_it_is_refused)
{
    static struct file files[MOST_FILES];
    size_t n = load_folder("good", files);
    if (!n)
        SKIP("no build/photos: make tests");
    for (size_t i = 0; i < n; i++) {
        struct file *f = &files[i];
        struct header h = {0};
        CHECK_MSG(f->ops, "%s", f->name);
        if (!f->ops)
            continue;
        CHECK_MSG(decode(f->ops, f->data, f->len, 0, &h) == WORK_OK, "%s", f->name);
        CHECK_MSG(h.width && h.height && h.frames == 1, "%s", f->name);
        for (size_t k = 1; k < 8; k++)
            CHECK_MSG(decode(f->ops, f->data, f->len * k / 8, 0, &h) != WORK_OK, "%s cut at %zu of 8", f->name, k);
    }
    free_files(files, n);
}

TEST(damaged_files_are_decoded_or_refused_and_nothing_else)
{
    static struct file files[MOST_FILES];
    size_t n = load_folder("good", files);
    uint32_t state = 1;
    if (!n)
        SKIP("no build/photos: make tests");
    for (size_t i = 0; i < n; i++)
        for (int flip = 0; files[i].ops && files[i].len < SMALL && flip < FLIPS; flip++) {
            struct header h = {0};
            state = state * 1664525u + 1013904223u;
            size_t at = (state >> 8) % (flip % 2 ? files[i].len : MIN(files[i].len, 200u));
            uint8_t was = files[i].data[at];
            files[i].data[at] = (uint8_t)(flip % 3 ? state >> 24 : 255);
            int status = decode(files[i].ops, files[i].data, files[i].len, 0, &h);
            CHECK_MSG(status >= 0 && status < WORK_STATUS_COUNT, "%s", files[i].name);
            files[i].data[at] = was;
        }
    free_files(files, n);
}

TEST(a_page_past_the_end_names_how_many_there_are)
{
    static struct file files[MOST_FILES];
    size_t n = load_folder("good", files), seen = 0;
    if (!n)
        SKIP("no build/photos: make tests");
    for (size_t i = 0; i < n; i++) {
        static const struct {
            const char *name;
            uint32_t pages;
        } rows[] = {{"three-pages.tif", 3}, {"three.ico", 3}, {"png.ico", 4}, {"two.heic", 2}};
        for (size_t k = 0; k < COUNT(rows); k++) {
            struct header h = {0};
            if (strcmp(files[i].name, rows[k].name) != 0)
                continue;
            seen++;
            CHECK(decode(files[i].ops, files[i].data, files[i].len, rows[k].pages, &h) == WORK_OK && h.has_pages);
            CHECK(decode(files[i].ops, files[i].data, files[i].len, rows[k].pages + 1, &h) == WORK_BAD_PAGE);
            CHECK(h.pages == rows[k].pages);
        }
    }
    CHECK(seen == 4);
    free_files(files, n);
}

TEST(boxes_that_lie_have_no_gap)
{
    static const uint8_t boxes[][24] = {
        {0, 0, 0, 24, 'm', 'e', 't', 'a', 0, 0, 0, 0, 0, 0, 0, 12, 'i', 'i', 'n', 'f', 0, 0, 0, 0},
        {0, 0, 0, 1, 'm', 'e', 't', 'a', 255, 255, 255, 255, 255, 255, 255, 255, 0},
        {0, 0, 0, 4, 'm', 'e', 't', 'a'},
    };
    for (size_t i = 0; i < COUNT(boxes); i++)
        for (size_t len = 0; len <= sizeof boxes[i]; len++)
            CHECK(!heif_has_gap(boxes[i], len));
}

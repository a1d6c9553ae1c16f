/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Third-party pictures, when they are there: our verdict and upright size against those of an independent decoder, PNG
 * pixels against libspng, and all orientations of one photo against each other.
 */
#include <jansson.h>
#include <spng.h>

#include "test.h"

#include "pictures.h"
#include "worker/colour.h"

#define CORPORA "../shared/corpora/"

/* Where we and the manifest's decoder differ, and why. */
static const struct {
    const char *path, *reason;
} exceptions[] = {
    {"pngsuite/bugfixes/invalid_palette_index.png", "stricter: a pixel outside the palette has no colour"},
};

static const char *exception_for(const char *path)
{
    for (size_t i = 0; i < COUNT(exceptions); i++)
        if (!strcmp(exceptions[i].path, path))
            return exceptions[i].reason;
    return NULL;
}

static int read_whole(const char *path, struct buf *out)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return -1;
    char piece[65536];
    for (size_t n; (n = fread(piece, 1, sizeof(piece), f)) > 0;)
        buf_add(out, piece, n);
    fclose(f);
    return out->error;
}

static enum media media_named(const char *magic)
{
    static const struct {
        const char *name;
        enum media media;
    } rows[] = {{"png", MEDIA_PNG}, {"jpeg", MEDIA_JPEG}, {"gif", MEDIA_GIF}, {"webp", MEDIA_WEBP}};
    for (size_t i = 0; i < COUNT(rows); i++)
        if (magic && !strcmp(rows[i].name, magic))
            return rows[i].media;
    return MEDIA_NONE;
}

static bool in_scope(const char *path)
{
    static const char *const folders[] = {"pngsuite/", "image-rs/", "gif-pygif/", "exif-orientation/"};
    for (size_t i = 0; i < COUNT(folders); i++)
        if (!strncmp(path, folders[i], strlen(folders[i])))
            return true;
    return false;
}

static uint32_t member(const json_t *o, const char *name, const char *field)
{
    return (uint32_t)json_integer_value(json_object_get(json_object_get(o, name), field));
}

static void check_entry(const json_t *entry, const char *path, enum media media)
{
    char full[512];
    snprintf(full, sizeof(full), CORPORA "%s", path);
    auto_buf file = BUF_INIT(FILE_MAX);
    CHECK_MSG(!read_whole(full, &file), "%s", path);
    auto_picture p = decode(media, &file);
    bool wanted = !strcmp(json_string_value(json_object_get(entry, "decode")), "ok");
    if (exception_for(path)) {
        CHECK_MSG((p.status == WORK_OK) != wanted, "%s is no exception any more", path);
        return;
    }
    CHECK_MSG((p.status == WORK_OK) == wanted, "%s: status %d, %s", path, p.status, p.c.detail);
    if (p.status)
        return;
    bool turned = p.h.orientation > 4;
    uint32_t w = turned ? p.size.h : p.size.w, h = turned ? p.size.w : p.size.h;
    CHECK_MSG(w == member(entry, "upright", "w") && h == member(entry, "upright", "h"), "%s: %ux%u", path, w, h);
    const json_t *frames = json_object_get(entry, "frames");
    if (frames)
        CHECK_MSG(p.h.frames == json_integer_value(frames), "%s: %u frames", path, p.h.frames);
}

/* Calls check for every entry of the folders in scope; how many there were. */
static size_t each_entry(void (*check)(const json_t *entry, const char *path, enum media media))
{
    FILE *f = fopen(CORPORA "MANIFEST.jsonl", "r");
    size_t count = 0;
    char line[8192];
    while (f && fgets(line, sizeof(line), f)) {
        json_t *entry = json_loads(line, 0, NULL);
        const char *path = json_string_value(json_object_get(entry, "path"));
        enum media media = media_named(json_string_value(json_object_get(entry, "magic")));
        if (path && media != MEDIA_NONE && in_scope(path)) {
            check(entry, path, media);
            count++;
        }
        json_decref(entry);
    }
    if (f)
        fclose(f);
    return count;
}

TEST(verdict_and_upright_size_agree_with_the_manifest)
{
    size_t count = each_entry(check_entry);
    if (!count)
        SKIP("no corpora beside the repository");
    CHECK_MSG(count > 300, "only %zu entries", count);
}

/* Only what both decode is compared, and not animations: libspng shows the still picture. It cuts 16 bits down where we
 * round. */
static void check_pixels_of(const json_t *entry, const char *path, enum media media)
{
    (void)entry;
    char full[512];
    snprintf(full, sizeof(full), CORPORA "%s", path);
    auto_buf file = BUF_INIT(FILE_MAX);
    if (media != MEDIA_PNG || read_whole(full, &file))
        return;
    auto_picture p = decode(media, &file);
    spng_ctx *s = spng_ctx_new(0);
    size_t len = 0;
    spng_set_png_buffer(s, file.data, file.len);
    if (!p.status && p.h.frames == 1 && !spng_decoded_image_size(s, SPNG_FMT_RGBA8, &len)) {
        auto_free uint8_t *want = malloc(len + 1);
        if (!spng_decode_image(s, want, len, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS)) {
            size_t wrong = 0;
            for (size_t i = 0; i < len; i++)
                wrong += abs(want[i] - p.rgba[i]) > (p.h.exact ? 0 : 1);
            CHECK_MSG(len == (size_t)p.size.w * p.size.h * 4 && !wrong, "%s: %zu bytes differ", path, wrong);
        }
    }
    spng_ctx_free(s);
}

TEST(png_pixels_are_those_of_libspng)
{
    if (!each_entry(check_pixels_of))
        SKIP("no corpora beside the repository");
}

/* Decodes one of PngSuite and converts it. */
static struct picture converted(const char *path)
{
    auto_buf file = BUF_INIT(FILE_MAX);
    if (read_whole(path, &file))
        return (struct picture){.status = -1};
    struct picture p = decode(MEDIA_PNG, &file);
    struct decoder *d = NULL;
    struct header h;
    CHECK(!p.status && !decode_png.open(SOURCE(&file), &d, &h, NULL));
    struct image m = {.size = p.size, .px = p.rgba};
    (void)colour_to_srgb(&m, &h);
    decode_png.close(d);
    return p;
}

/* The same picture stored for six gammas. Stored for 2.5, the dark third of all levels shares one of 8 bits. */
TEST(pictures_of_every_gamma_look_alike_in_srgb)
{
    static const char *const gammas[] = {"03", "04", "05", "07", "10", "25"}, *const kinds[] = {"0g16", "2c08", "3p04"};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        char path[128];
        snprintf(path, sizeof(path), CORPORA "pngsuite/pngsuite/g05n%s.png", kinds[k]);
        auto_picture want = converted(path);
        if (want.status < 0)
            SKIP("no corpora beside the repository");
        for (size_t i = 0; i < COUNT(gammas); i++) {
            snprintf(path, sizeof(path), CORPORA "pngsuite/pngsuite/g%sn%s.png", gammas[i], kinds[k]);
            auto_picture p = converted(path);
            CHECK(!p.status && p.size.w == want.size.w && p.size.h == want.size.h);
            double sum = 0;
            for (size_t j = 0; j < (size_t)p.size.w * p.size.h * 4; j++)
                sum += abs(p.rgba[j] - want.rgba[j]);
            sum /= 4.0 * p.size.w * p.size.h;
            CHECK_MSG(sum < (i + 1 < COUNT(gammas) ? 4 : 10), "%s differs by %.1f", path, sum);
        }
    }
}

/* Opens, and strips what can be. */
static int strip_entry(const struct buf *file, enum media media, const uint8_t **ret_data, size_t *ret_len,
                       uint8_t **ret_copy)
{
    struct decoder *d = NULL;
    struct header h;
    int status = decoder_of(media)->open(SOURCE(file), &d, &h, NULL);
    if (status)
        return status;
    status = strip(media, (const uint8_t *)file->data, file->len, &h, ret_data, ret_len, ret_copy, NULL);
    decoder_of(media)->close(d);
    return status;
}

static void check_stripped(const json_t *entry, const char *path, enum media media)
{
    (void)entry;
    char full[512];
    snprintf(full, sizeof(full), CORPORA "%s", path);
    auto_buf file = BUF_INIT(FILE_MAX);
    CHECK_MSG(!read_whole(full, &file), "%s", path);
    auto_picture before = decode(media, &file);
    const uint8_t *data = NULL;
    size_t len = 0;
    auto_free uint8_t *copy = NULL;
    if (before.status || strip_entry(&file, media, &data, &len, &copy))
        return;
    auto_picture after = decode_with(media, data, len, 1, 0);
    CHECK_MSG(!after.status && len <= file.len, "%s: %s", path, after.c.detail);
    size_t bytes = (size_t)before.size.w * before.size.h * 4;
    if (!after.status)
        CHECK_MSG(after.size.w == before.size.w && !memcmp(before.rgba, after.rgba, bytes), "%s", path);
}

TEST(stripping_changes_no_pixel)
{
    if (!each_entry(check_stripped))
        SKIP("no corpora beside the repository");
}

/* Where the upright pixel x, y of a w x h picture is stored, by EXIF orientation. */
static const uint8_t *upright_pixel(const struct picture *p, uint32_t x, uint32_t y)
{
    uint32_t last_x = p->size.w - 1, last_y = p->size.h - 1;
    switch (p->h.orientation) {
    case 2: return pixel(p, last_x - x, y);
    case 3: return pixel(p, last_x - x, last_y - y);
    case 4: return pixel(p, x, last_y - y);
    case 5: return pixel(p, y, x);
    case 6: return pixel(p, y, last_y - x);
    case 7: return pixel(p, last_x - y, last_y - x);
    case 8: return pixel(p, last_x - y, x);
    default: return pixel(p, x, y);
    }
}

static struct picture sample(const char *name, int n)
{
    char path[256];
    snprintf(path, sizeof(path), CORPORA "exif-orientation/%s_%d.jpg", name, n);
    auto_buf file = BUF_INIT(FILE_MAX);
    if (read_whole(path, &file))
        return (struct picture){.status = -1};
    return decode_with(MEDIA_JPEG, file.data, file.len, 1, 400);
}

static void check_orientations(const char *name)
{
    auto_picture first = sample(name, 1);
    CHECK(!first.status && first.h.orientation == 1);
    for (int n = 0; n <= 8 && !first.status; n++) {
        auto_picture p = sample(name, n);
        CHECK_MSG(!p.status && p.h.orientation == (n ? n : 1), "%s_%d: orientation %u", name, n, p.h.orientation);
        bool turned = p.h.orientation > 4;
        CHECK((turned ? p.size.h : p.size.w) == first.size.w && (turned ? p.size.w : p.size.h) == first.size.h);
        double sum = 0;
        for (uint32_t y = 0; y < first.size.h; y++)
            for (uint32_t x = 0; x < first.size.w; x++)
                for (int i = 0; i < 3; i++)
                    sum += abs(upright_pixel(&p, x, y)[i] - pixel(&first, x, y)[i]);
        sum /= 3.0 * first.size.w * first.size.h;
        CHECK_MSG(sum < 12, "%s_%d differs by %.1f", name, n, sum);
    }
}

TEST(all_orientations_of_a_photo_look_alike_upright)
{
    auto_picture there = sample("Landscape", 0);
    if (there.status < 0)
        SKIP("no corpora beside the repository");
    check_orientations("Landscape");
    check_orientations("Portrait");
}

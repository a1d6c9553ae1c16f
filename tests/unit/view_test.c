/* SPDX-License-Identifier: Apache-2.0 */
/* The library end to end, with real workers in their jail: every fixture is seen right or refused, from many threads,
 * with nothing left behind. */
#include "test.h"

#include <dirent.h>
#include <jansson.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/limits.h"
#include "built.h"
#include "fovea.h"
#include "handles.h"
#include "percept/json.h"
#include "processes.h"
#include "source/sniff.h"

static const char *fixtures(void)
{
    return built("fixtures");
}

static fovea *context(unsigned ready, bool no_webp)
{
    const char *reach[] = {fixtures(), NULL};
    struct fovea_fault fault = {0};
    struct fovea_options o = {.cwd = fixtures(), .reach = reach, .config_file = "", .worker_dir = build_folder(),
                              .ready_workers = ready, .no_webp = no_webp};
    fovea *f = NULL;
    CHECK_MSG(fovea_new(&o, &f, &fault) == 0, "%s", fault.text);
    return f;
}

static fovea_result *see(fovea *f, struct fovea_view_request q)
{
    struct fovea_fault fault = {0};
    fovea_result *r = NULL;
    CHECK_MSG(fovea_view(f, &q, &r, &fault) == 0, "%s: %s", q.path, fault.text);
    return r;
}

#define SEE(f, ...) see(f, (struct fovea_view_request){__VA_ARGS__})

static const char *words(const fovea_result *r)
{
    return r ? fovea_result_text(r) : "(fault)";
}

/* The picture is what the result says it is, by its own header. */
static void check_honest(const fovea_result *r, const char *name)
{
    struct fovea_image m;
    struct sniff s;
    CHECK_MSG(r && fovea_result_image(r, &m) == 0, "%s: %s", name, words(r));
    if (!r || fovea_result_kind(r) != FOVEA_PERCEPTION)
        return;
    sniff(m.data, m.len, m.len, &s);
    CHECK_MSG(s.width == m.width && s.height == m.height, "%s", name);
    CHECK_MSG(!strcmp(media_row(s.media)->mime, m.media_type), "%s", name);
    CHECK_MSG(m.width <= 1568 && m.height <= 1568 && m.width >= 28 && m.height >= 28, "%s", name);
    CHECK_MSG(m.len <= 512000, "%s", name);
}

TEST(every_good_fixture_is_seen_at_its_upright_size)
{
    auto_free char *path = NULL;
    CHECK(asprintf(&path, "%s/good.tsv", fixtures()) > 0);
    FILE *table = fopen(path, "re");
    auto_fovea *f = context(1, false);
    char name[256];
    unsigned w, h, frames, rows = 0;
    while (table && fscanf(table, "%255s %u %u %u", name, &w, &h, &frames) == 4) {
        char ref[300];
        struct fovea_image m = {0};
        snprintf(ref, sizeof ref, "good/%s", name);
        auto_result *r = SEE(f, .path = ref);
        check_honest(r, name);
        if (r && fovea_result_image(r, &m) == 0)
            CHECK_MSG(m.source_width == w && m.source_height == h, "%s: %ux%u", name, m.source_width, m.source_height);
        rows++;
    }
    CHECK(rows > 40);
    if (table)
        fclose(table);
}

/* Calls `each` for every file in a folder of the fixtures. */
static unsigned for_files(const char *folder, void (*each)(fovea *f, const char *ref), fovea *f)
{
    auto_free char *path = NULL;
    CHECK(asprintf(&path, "%s/%s", fixtures(), folder) > 0);
    DIR *d = opendir(path);
    unsigned n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        char ref[600];
        snprintf(ref, sizeof ref, "%s/%s", folder, e->d_name);
        if (e->d_type != DT_REG)
            continue;
        each(f, ref);
        n++;
    }
    if (d)
        closedir(d);
    return n;
}

static void must_be_refused(fovea *f, const char *ref)
{
    auto_result *r = SEE(f, .path = ref);
    CHECK_MSG(r && fovea_result_kind(r) == FOVEA_REFUSAL, "%s: %s", ref, words(r));
}

TEST(every_fixture_cut_short_is_refused)
{
    auto_fovea *f = context(2, false);
    CHECK(for_files("bad/truncated", must_be_refused, f) > 500);
}

/* Some of the bad ones are only strange: refused or seen right, but never a fault and never late. */
static void must_be_answered(fovea *f, const char *ref)
{
    auto_result *r = SEE(f, .path = ref);
    CHECK_MSG(r != NULL, "%s", ref);
    if (r && fovea_result_kind(r) == FOVEA_PERCEPTION)
        check_honest(r, ref);
}

TEST(every_bad_fixture_is_answered)
{
    auto_fovea *f = context(1, false);
    CHECK(for_files("bad", must_be_answered, f) > 10);
}

TEST(hosts_without_webp_never_get_it)
{
    static const char *const rows[] = {"good/png-photo-2000x1500.png", "good/webp-lossy.webp",
                                       "good/webp-lossless-alpha.webp", "good/png-screen-2560x1600.png"};
    auto_fovea *f = context(1, true);
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_result *r = SEE(f, .path = rows[i]);
        struct fovea_image m = {0};
        check_honest(r, rows[i]);
        CHECK_MSG(fovea_result_image(r, &m) == 0 && strcmp(m.media_type, "image/webp"), "%s", rows[i]);
    }
}

TEST(metadata_never_leaves)
{
    static const char *const rows[] = {"good/png-with-exif-gps-and-text.png", "good/jpeg-with-exif-gps-and-comment.jpg",
                                       "good/webp-with-exif-gps-and-xmp.webp", "good/jpeg-photo-3000x2000.jpg"};
    static const char *const marks[] = {"Exif", "eXIf", "EXIF", "XMP ", "tEXt", "zTXt", "iTXt", "GPS", "http://ns.adobe"};
    auto_fovea *f = context(1, false);
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_result *r = SEE(f, .path = rows[i]);
        struct fovea_image m = {0};
        check_honest(r, rows[i]);
        CHECK(fovea_result_image(r, &m) == 0);
        for (size_t k = 0; k < COUNT(marks); k++)
            CHECK_MSG(!memmem(m.data, m.len, marks[k], strlen(marks[k])), "%s: %s", rows[i], marks[k]);
    }
}

TEST(small_clean_picture_leaves_byte_for_byte)
{
    auto_fovea *f = context(1, false);
    auto_result *r = SEE(f, .path = "good/png-rgb-8.png");
    struct fovea_image m = {0};
    auto_free char *path = NULL;
    CHECK(asprintf(&path, "%s/good/png-rgb-8.png", fixtures()) > 0);
    FILE *in = fopen(path, "re");
    char bytes[65536];
    size_t n = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    CHECK(fovea_result_image(r, &m) == 0 && m.len == n && !memcmp(m.data, bytes, n));
    if (in)
        fclose(in);
}

TEST(region_maps_back_to_the_source_in_every_space)
{
    auto_fovea *f = context(1, false);
    const char *ref = "good/png-screen-2560x1600.png";
    auto_result *whole = SEE(f, .path = ref);
    struct fovea_image w = {0}, m = {0};
    CHECK(fovea_result_image(whole, &w) == 0 && w.width == 1568);

    auto_result *source = SEE(f, .path = ref, .region = {640, 400, 320, 200, true});
    CHECK(fovea_result_image(source, &m) == 0 && m.width == 320 && m.height == 200);
    CHECK(m.offset[0] == 640 && m.offset[1] == 400 && m.scale[0] == 1 && m.scale[1] == 1);

    auto_result *unit = SEE(f, .path = ref, .region = {250, 250, 125, 125, true}, .space = "unit");
    CHECK(fovea_result_image(unit, &m) == 0 && m.offset[0] == 640 && m.offset[1] == 400 && m.width == 320);

    auto_result *shown = SEE(f, .path = ref, .region = {392, 245, 196, 122.5, true}, .space = "view", .view = w.id);
    CHECK(fovea_result_image(shown, &m) == 0 && m.offset[0] == 640 && m.offset[1] == 400 && m.width == 320);

    auto_result *handle = SEE(f, .path = w.id, .region = {392, 245, 196, 122.5, true}, .space = "view");
    CHECK(fovea_result_image(handle, &m) == 0 && m.offset[0] == 640 && m.width == 320);

    auto_result *clamped = SEE(f, .path = ref, .region = {2500, 1500, 500, 500, true});
    CHECK(fovea_result_image(clamped, &m) == 0 && m.width == 60 && m.height == 100);

    auto_result *outside = SEE(f, .path = ref, .region = {5000, 0, 10, 10, true});
    CHECK_STR(fovea_result_reason(outside), "invalid_input");
    CHECK_MSG(strstr(words(outside), "2560x1600") != NULL, "%s", words(outside));
}

TEST(region_of_an_oriented_photo_is_in_upright_pixels)
{
    auto_fovea *f = context(1, false);
    auto_result *r = SEE(f, .path = "good/jpeg-photo-3000x2000.jpg", .region = {2900, 1900, 500, 500, true});
    struct fovea_image m = {0};
    CHECK_MSG(fovea_result_image(r, &m) == 0, "%s", words(r));
    CHECK_MSG(m.source_width == 3000 && m.source_height == 2000, "%ux%u", m.source_width, m.source_height);
    CHECK_MSG(m.width == 100 && m.height == 100, "%ux%u", m.width, m.height);
}

TEST(frames_are_picked_from_1_and_the_count_is_named_past_the_end)
{
    static const char *const rows[] = {"good/gif-animated-3-frames.gif", "good/webp-animated-3-frames.webp"};
    auto_fovea *f = context(1, false);
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_result *first = SEE(f, .path = rows[i]), *third = SEE(f, .path = rows[i], .frame = 3);
        auto_result *fourth = SEE(f, .path = rows[i], .frame = 4);
        struct fovea_image a = {0}, b = {0};
        CHECK(fovea_result_image(first, &a) == 0 && fovea_result_image(third, &b) == 0);
        CHECK_MSG(a.len != b.len || memcmp(a.data, b.data, a.len), "%s: frames look alike", rows[i]);
        CHECK(strcmp(a.id, b.id) != 0);
        CHECK_STR(fovea_result_reason(fourth), "invalid_input");
        CHECK_MSG(strstr(words(fourth), "3 frames") != NULL, "%s", words(fourth));
    }
}

TEST(same_view_has_the_same_id_and_unknown_ids_are_refused)
{
    auto_fovea *f = context(1, false);
    auto_result *a = SEE(f, .path = "good/png-rgb-8.png"), *b = SEE(f, .path = "./good/png-rgb-8.png");
    auto_result *c = SEE(f, .path = "good/png-rgb-8.png", .max_edge = 40);
    struct fovea_image x = {0}, y = {0}, z = {0};
    CHECK(fovea_result_image(a, &x) == 0 && fovea_result_image(b, &y) == 0 && fovea_result_image(c, &z) == 0);
    CHECK_STR(x.id, y.id);
    CHECK(strcmp(x.id, z.id) != 0 && z.width == 40);
    auto_result *again = SEE(f, .path = x.id);
    CHECK_MSG(fovea_result_kind(again) == FOVEA_PERCEPTION, "%s", words(again));
    auto_result *unknown = SEE(f, .path = "view:000000000000");
    CHECK_STR(fovea_result_reason(unknown), "absent");
}

static bool same_picture(const fovea_result *a, const fovea_result *b)
{
    auto_free char *x = fovea_result_json_new(a, FOVEA_JSON_DATA), *y = fovea_result_json_new(b, FOVEA_JSON_DATA);
    return x && y && !strcmp(x, y);
}

TEST(picture_seen_again_is_the_one_that_would_be_made_afresh)
{
    auto_fovea *f = context(1, true), *other = context(1, true);
    static const char *const files[] = {"good/png-rgb-8.png", "good/gif-still.gif", "good/jpeg-baseline.jpg"};
    for (size_t i = 0; i < COUNT(files); i++)
        for (int64_t edge = 30; edge <= 60; edge += 30) {
            auto_result *first = SEE(f, .path = files[i], .max_edge = edge);
            auto_result *again = SEE(f, .path = files[i], .max_edge = edge);
            auto_result *fresh = SEE(other, .path = files[i], .max_edge = edge);
            CHECK_MSG(same_picture(first, again) && same_picture(again, fresh), "%s", files[i]);
        }
}

/* With the worker taken away, what comes can only come from the cache: the same bytes, whatever their name. */
TEST(picture_seen_again_needs_no_worker_but_the_file_itself)
{
    char folder[] = "/tmp/fovea-cache-XXXXXX", worker[64];
    CHECK(mkdtemp(folder));
    snprintf(worker, sizeof worker, "%s/fovea-worker", folder);
    CHECK(!symlink(built("fovea-worker"), worker));
    const char *reach[] = {fixtures(), NULL};
    struct fovea_options o = {.cwd = fixtures(), .reach = reach, .config_file = "", .worker_dir = folder};
    struct fovea_fault fault = {0};
    auto_fovea *f = NULL;
    CHECK(fovea_new(&o, &f, &fault) == 0);
    auto_result *first = SEE(f, .path = "good/png-rgb-8.png");
    (void)unlink(worker);
    (void)rmdir(folder);
    auto_result *again = SEE(f, .path = "good/png-rgb-8.png"), *gone = SEE(f, .path = "good/none.png"), *none = NULL;
    CHECK(same_picture(first, again));
    CHECK_STR(fovea_result_reason(gone), "absent");
    CHECK(fovea_view(f, &(struct fovea_view_request){.path = "good/png-rgb-8.png", .max_edge = 30}, &none, &fault) < 0);
}

TEST(view_of_a_changed_file_by_id_is_refused)
{
    auto_fovea *f = context(1, false);
    auto_free char *path = NULL;
    CHECK(asprintf(&path, "%s/changing.png", fixtures()) > 0);
    auto_free char *copy = NULL;
    CHECK(asprintf(&copy, "cp %s/good/png-rgb-8.png %s", fixtures(), path) > 0);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", copy, (char *)NULL);
        _exit(127);
    }
    (void)waitpid(pid, NULL, 0);
    auto_result *before = SEE(f, .path = "changing.png");
    struct fovea_image m = {0};
    CHECK(fovea_result_image(before, &m) == 0);
    FILE *out = fopen(path, "ae");
    fputs("more", out);
    fclose(out);
    auto_result *after = SEE(f, .path = m.id);
    CHECK_STR(fovea_result_reason(after), "absent");
    (void)unlink(path);
}

TEST(model_limits_are_honoured_and_tokens_told)
{
    auto_fovea *f = context(1, false);
    auto_result *r = SEE(f, .path = "good/png-photo-2000x1500.png", .model = "claude-sonnet-4-6");
    struct fovea_image m = {0};
    CHECK(fovea_result_image(r, &m) == 0);
    CHECK_MSG(m.width == 1270 && m.height == 952, "%ux%u", m.width, m.height);
    auto_free char *json = fovea_result_json_new(r, 0);
    auto_json *j = json_loads(json, 0, NULL);
    CHECK(json_integer_value(json_object_get(json_object_get(j, "tokens"), "image")) == 1564);
    auto_result *effort = SEE(f, .path = "good/png-photo-2000x1500.png", .model = "anthropic/claude-sonnet-4-6:high");
    CHECK(fovea_result_image(effort, &m) == 0 && m.width == 1270);
    auto_result *local = SEE(f, .path = "good/png-photo-2000x1500.png", .model = "ollama/llava");
    CHECK(fovea_result_image(local, &m) == 0 && strcmp(m.media_type, "image/webp") != 0);
    auto_result *full = SEE(f, .path = "good/png-photo-2000x1500.png", .model = "claude-opus-4-7", .detail = "full");
    CHECK(fovea_result_image(full, &m) == 0 && m.width == 2000);
}

TEST(region_measured_in_another_picture_is_refused)
{
    auto_fovea *f = context(1, false);
    auto_result *other = SEE(f, .path = "good/png-rgb-8.png");
    struct fovea_image m = {0};
    CHECK(fovea_result_image(other, &m) == 0);
    auto_result *r = SEE(f, .path = "good/png-rgb-16.png", .region = {0, 0, 5, 5, true}, .space = "view", .view = m.id);
    CHECK_STR(fovea_result_reason(r), "invalid_input");
    CHECK_MSG(strstr(words(r), m.id) != NULL, "%s", words(r));
}

TEST(what_is_no_picture_is_refused_as_such_whatever_page_is_asked)
{
    static const char *const rows[][2] = {{"nosuch.png", "absent"},
                                          {"bad/pdf-saved-as.png", "render_not_allowed"},
                                          {"good/png-rgb-8.png", "invalid_input"}};
    auto_fovea *f = context(0, false);
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_result *r = SEE(f, .path = rows[i][0], .page = {2, 0});
        CHECK_STR(fovea_result_reason(r), rows[i][1]);
    }
}

TEST(requests_filled_in_by_hand_are_checked_like_any_other)
{
    static const struct fovea_view_request rows[] = {
        {.path = NULL},
        {.path = ""},
        {.path = "good/png-rgb-8.png", .frame = INT64_C(1) << 32},
        {.path = "good/png-rgb-8.png", .max_edge = (INT64_C(1) << 32) + 40},
        {.path = "good/png-rgb-8.png", .page = {-3, 0}},
        {.path = "good/png-rgb-8.png", .page = {3, 2}},
        {.path = "good/png-rgb-8.png", .page = {1, 65}},
        {.path = "good/png-rgb-8.png", .time = {-1, true}},
        {.path = "good/png-rgb-8.png", .space = "bogus"},
        {.path = "good/png-rgb-8.png", .detail = "bogus"},
        {.path = "good/png-rgb-8.png", .region = {0, 0, -1, 5, true}},
    };
    auto_fovea *f = context(0, false);
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_result *r = see(f, rows[i]);
        CHECK_MSG(r && fovea_result_reason(r) && !strcmp(fovea_result_reason(r), "invalid_input"), "row %zu: %s", i, words(r));
    }
    auto_result *negative = NULL;
    struct fovea_fault fault = {0};
    CHECK(fovea_read(f, &(struct fovea_read_request){.path = "good.tsv", .offset = -1}, &negative, &fault) == 0);
    CHECK_STR(fovea_result_reason(negative), "invalid_input");
}

TEST(urls_are_blocked_not_looked_for_on_disk)
{
    auto_fovea *f = context(0, false);
    auto_result *r = SEE(f, .path = "https://example.org/x.png");
    CHECK_STR(fovea_result_reason(r), "blocked");
    CHECK(strstr(words(r), "network.view"));
}

/* A context with this config. */
static fovea *configured(const char *yaml)
{
    char file[] = "/tmp/fovea-view-XXXXXX.yaml";
    int fd = mkstemps(file, 5);
    struct fovea_fault fault = {0};
    struct fovea_options o = {.cwd = fixtures(), .config_file = file, .worker_dir = build_folder()};
    fovea *f = NULL;
    CHECK(fd >= 0 && write(fd, yaml, strlen(yaml)) == (ssize_t)strlen(yaml));
    close_fd(fd);
    CHECK_MSG(fovea_new(&o, &f, &fault) == 0, "%s", fault.text);
    (void)unlink(file);
    return f;
}

/* None of these needs a network to be refused. */
TEST(a_url_that_the_gate_refuses_is_blocked_with_its_code)
{
    static const char *const rows[][2] = {
        {"http://example.org/x.png", "scheme"},      {"https://127.0.0.1/x.png", "ip_loopback"},
        {"https://10.0.0.1/x.png", "ip_private"},    {"https://169.254.169.254/latest", "ip_metadata"},
        {"https://localhost/x.png", "host_name"},    {"https://u:p@example.org/x.png", "userinfo"},
        {"https://example.org:8443/x.png", "port"},  {"https://denied.example.com/x.png", "host_denied"},
        {"https://example.net/x.png", "host_not_allowed"}, {"https://exa mple.org/x.png", "host_syntax"},
    };
    auto_fovea *f = configured("network: {view: true, allow: [\".example.org\", \".example.com\"], "
                                           "deny: [denied.example.com]}\n");
    for (size_t i = 0; f && i < COUNT(rows); i++) {
        char code[64];
        auto_result *r = SEE(f, .path = rows[i][0]);
        snprintf(code, sizeof code, "(%s: ", rows[i][1]);
        CHECK_MSG(r && !strcmp(fovea_result_reason(r), "blocked"), "%s", rows[i][0]);
        CHECK_MSG(strstr(words(r), code), "%s", words(r));
    }
}

TEST(blocked_images_block_urls_too)
{
    auto_fovea *f = configured("network.view: true\nimages.blockImages: true\n");
    auto_result *r = f ? SEE(f, .path = "https://127.0.0.1/x.png") : NULL;
    CHECK_STR(fovea_result_reason(r), "blocked");
    CHECK(strstr(words(r), "images.blockImages"));
}

TEST(bytes_are_seen_without_a_file)
{
    auto_fovea *f = context(1, false);
    static const char gif[] = "GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;";
    auto_result *r = SEE(f, .path = "-", .data = gif, .data_len = sizeof gif - 1);
    struct fovea_image m = {0};
    CHECK_MSG(fovea_result_image(r, &m) == 0, "%s", words(r));
    CHECK(m.width == 28 && m.height == 28 && m.source_width == 1);
    auto_result *empty = SEE(f, .path = "-", .data = gif, .data_len = 0);
    CHECK_STR(fovea_result_reason(empty), "unperceivable_type");
}

TEST(preview_is_raw_pixels_within_the_box)
{
    auto_fovea *f = context(1, false);
    auto_result *r = SEE(f, .path = "good/png-screen-1280x800.png", .preview_width = 80, .preview_height = 80);
    struct fovea_pixels p = {0};
    CHECK(fovea_result_preview(r, &p) == 0);
    CHECK(p.width == 80 && p.height == 50);
}

static void *many(void *arg)
{
    static const char *const rows[] = {"good/png-rgb-8.png", "bad/zero-byte.png", "good/jpeg-progressive.jpg",
                                       "good/webp-lossy.webp", "bad/png-hole-in-the-middle.png"};
    for (unsigned i = 0; i < 20; i++) {
        auto_result *r = SEE(arg, .path = rows[i % COUNT(rows)]);
        CHECK(r != NULL);
    }
    return NULL;
}

TEST(four_threads_share_one_context_and_nothing_is_left)
{
    int fds = fds_of(getpid());
    fovea *f = context(2, false);
    pthread_t t[4];
    for (size_t i = 0; i < COUNT(t); i++)
        CHECK(pthread_create(&t[i], NULL, many, f) == 0);
    for (size_t i = 0; i < COUNT(t); i++)
        pthread_join(t[i], NULL);
    fovea_free(f);
    CHECK_MSG(fds_of(getpid()) == fds, "%d descriptors, before %d", fds_of(getpid()), fds);
    CHECK(waitpid(-1, NULL, WNOHANG | __WALL) <= 0);
}

/* Whether a file of the manifest is one that fovea-worker decodes: of others, the manifest's decoder knows less than ours. */
static bool is_judged(const json_t *row)
{
    static const char *const ours[] = {"png", "jpeg", "gif", "webp"};
    const char *magic = json_string_value(json_object_get(row, "magic"));
    for (size_t i = 0; magic && i < COUNT(ours); i++)
        if (!strcmp(magic, ours[i]))
            return true;
    return false;
}

/* Whether it should be seen: its decoder's verdict, but for what we are stricter about. */
static bool should_be_seen(const json_t *row)
{
    const char *path = json_string_value(json_object_get(row, "path"));
    const char *decode = json_string_value(json_object_get(row, "decode"));
    if (strstr(path, "invalid_palette_index.png")) /* an index beyond the palette: libpng shows it as black */
        return false;
    return decode && !strcmp(decode, "ok");
}

TEST(every_file_of_the_shared_corpora_is_seen_or_refused_as_the_manifest_says)
{
    static const char *const folders[] = {"pngsuite/", "image-rs/", "gif-pygif/", "exif-orientation/"};
    auto_free char *root = canonicalize_file_name("../shared/corpora");
    auto_free char *manifest = NULL;
    FILE *in = root && asprintf(&manifest, "%s/MANIFEST.jsonl", root) > 0 ? fopen(manifest, "re") : NULL;
    if (!in)
        SKIP("../shared/corpora is not there");
    const char *reach[] = {root, NULL};
    struct fovea_fault fault = {0};
    struct fovea_options o = {.cwd = root, .reach = reach, .config_file = "", .worker_dir = build_folder(), .ready_workers = 2};
    auto_fovea *f = NULL;
    CHECK_MSG(fovea_new(&o, &f, &fault) == 0, "%s", fault.text);
    auto_free char *line = NULL;
    size_t room = 0;
    unsigned seen = 0, refused = 0;
    while (getline(&line, &room, in) > 0) {
        auto_json *row = json_loads(line, 0, NULL);
        const char *path = json_string_value(json_object_get(row, "path"));
        bool here = false;
        for (size_t i = 0; path && i < COUNT(folders); i++)
            here |= !strncmp(path, folders[i], strlen(folders[i]));
        if (!here)
            continue;
        auto_result *r = SEE(f, .path = path);
        bool shown = r && fovea_result_kind(r) == FOVEA_PERCEPTION;
        CHECK_MSG(r && (!is_judged(row) || shown == should_be_seen(row)), "%s: %s", path, words(r));
        seen += shown;
        refused += !shown;
    }
    fclose(in);
    CHECK_MSG(seen > 330 && refused > 40, "%u seen, %u refused", seen, refused);
}

TEST(missing_worker_is_a_fault_that_names_it)
{
    struct fovea_fault fault = {0};
    struct fovea_options o = {.cwd = fixtures(), .config_file = "", .worker_dir = "/nonexistent"};
    auto_fovea *f = NULL;
    fovea_result *r = NULL;
    CHECK(fovea_new(&o, &f, &fault) == 0);
    struct fovea_view_request q = {.path = "good/png-rgb-8.png"};
    CHECK(fovea_view(f, &q, &r, &fault) < 0 && !r);
    CHECK_MSG(strstr(fault.text, "/nonexistent/fovea-worker") != NULL, "%s", fault.text);
}

TEST(call_by_name_takes_json_and_faults_on_what_is_none)
{
    auto_fovea *f = context(0, false);
    struct fovea_fault fault = {0};
    auto_result *r = NULL;
    const char *good = "{\"path\":\"good/png-rgb-8.png\"}";
    CHECK(fovea_call(f, "view", good, strlen(good), &r, &fault) == 0 && fovea_result_kind(r) == FOVEA_PERCEPTION);
    fovea_result *none = NULL;
    CHECK(fovea_call(f, "look", good, strlen(good), &none, &fault) == -ENOENT && !none);
    CHECK(fovea_call(f, "view", "{", 1, &none, &fault) == -EBADMSG && !none);
    const char *huge = "{\"path\":\"a.png\",\"frame\":99999999999999999999}";
    auto_result *refused = NULL;
    CHECK(fovea_call(f, "view", huge, strlen(huge), &refused, &fault) == 0);
    CHECK_STR(fovea_result_reason(refused), "invalid_input");
}

TEST(line_too_long_to_give_whole_is_refused_not_cut)
{
    auto_fovea *f = context(0, false);
    size_t len = LIMIT_READ_WINDOW + 100;
    auto_free char *line = malloc(len);
    memset(line, 'x', len);
    struct fovea_fault fault = {0};
    auto_result *r = NULL;
    struct fovea_read_request q = {.path = "-", .data = line, .data_len = len};
    CHECK(fovea_read(f, &q, &r, &fault) == 0);
    CHECK_STR(fovea_result_reason(r), "too_large");
}

TEST(read_gives_text_and_refuses_pixels_by_naming_view)
{
    auto_fovea *f = context(0, false);
    struct fovea_fault fault = {0};
    auto_result *pixels = NULL, *text = NULL, *past = NULL, *svg = NULL;
    CHECK(fovea_read(f, &(struct fovea_read_request){.path = "good/png-rgb-8.png"}, &pixels, &fault) == 0);
    CHECK_STR(fovea_result_reason(pixels), "unreadable_type");
    CHECK(strstr(words(pixels), "view") != NULL);
    CHECK(fovea_read(f, &(struct fovea_read_request){.path = "good.tsv", .offset = 2, .limit = 1}, &text, &fault) == 0);
    CHECK(fovea_result_kind(text) == FOVEA_TEXT && strchr(words(text), '\n') == words(text) + strlen(words(text)) - 1);
    CHECK(fovea_read(f, &(struct fovea_read_request){.path = "good.tsv", .offset = 99999}, &past, &fault) == 0);
    CHECK_STR(fovea_result_reason(past), "invalid_input");
    CHECK(fovea_read(f, &(struct fovea_read_request){.path = "bad/svg-saved-as.png"}, &svg, &fault) == 0);
    CHECK_MSG(fovea_result_kind(svg) == FOVEA_TEXT, "%s", words(svg));
}

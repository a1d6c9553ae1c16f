/* SPDX-License-Identifier: Apache-2.0 */
/* local/ocr through both of its programs: what is read, what is refused, and what the reader cannot do. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/ocr.h"
#include "ask/ocr_priv.h"
#include "base/clock.h"
#include "built.h"
#include "filter.h"
#include "letters.h"
#include "pictures.h"
#include "source/sniff.h"

#define BLACK 0xff000000u
#define WHITE 0xffffffffu
#define CLEAR 0x00ffffffu

static const char text_shown[] = "FATAL ERROR\nDATA FULL\nPLEASE REBOOT";

/* ---------------------------------------------------------------- tools */

struct bench {
    struct pool *pixels;
    struct ocr *ocr;
    struct fovea_fault fault;
};

static void bench_done(struct bench *b)
{
    ocr_free(b->ocr);
    pool_free(b->pixels);
}
#define auto_bench cleanup(bench_done) struct bench

static struct bench bench_with(const char *folder, const char *language)
{
    struct bench b = {0};
    CHECK(!pool_new_of(&(struct program){.path = built("fovea-worker")}, 0, &b.pixels, &b.fault));
    CHECK_MSG(!ocr_new(build_folder(), folder, language, &b.ocr, &b.fault), "%s", b.fault.text);
    return b;
}

static struct bench bench_new(void)
{
    return bench_with(NULL, NULL);
}

static bool no_data(const struct bench *b)
{
    return access(b->ocr->data, R_OK) != 0;
}
#define NEEDS_DATA(b)                           \
    if (no_data(b))                             \
    SKIP("tesseract-ocr-eng is not installed")

static int memory_of(const void *data, size_t len)
{
    int fd = memfd_create("picture", MFD_CLOEXEC);
    return write(fd, data, len) == (ssize_t)len ? fd : -1;
}

static int read_bytes(struct bench *b, enum media media, const void *data, size_t len, const struct fit_box *region,
                      const fovea_cancel *cancel, struct ocr_result *ret)
{
    auto_close int fd = memory_of(data, len);
    struct ocr_request q = {.media = media, .fd = fd, .len = len};
    if (region)
        q.region = *region;
    return ocr_run(b->ocr, b->pixels, &q, cancel, ret, &b->fault);
}

static struct paper paper_new(uint32_t w, uint32_t h, uint32_t ground)
{
    struct paper p = {malloc((size_t)w * h * 4), w, h};
    for (size_t i = 0; i < (size_t)w * h; i++)
        memcpy(p.rgba + i * 4, &ground, 4);
    return p;
}

static void paper_done(struct paper *p)
{
    free(p->rgba);
}
#define auto_paper cleanup(paper_done) struct paper

/* A page with the words of text_shown. */
static struct paper page_shown(uint32_t ground, uint32_t ink)
{
    struct paper p = paper_new(640, 260, ground);
    letters_draw(&p, text_shown, 40, 40, 4, ink);
    return p;
}

static void done_result(struct ocr_result *r)
{
    ocr_result_done(r);
}
#define auto_result cleanup(done_result) struct ocr_result

static int read_paper(struct bench *b, const struct paper *p, const fovea_cancel *cancel, struct ocr_result *ret)
{
    auto_buf png = BUF_INIT(FILE_MAX);
    make_png(&png, p->rgba, p->w, p->h);
    return read_bytes(b, MEDIA_PNG, png.data, png.len, NULL, cancel, ret);
}

static bool reads_as(const struct ocr_result *r, const char *text)
{
    return r->end == POOL_DONE && r->picture.status == WORK_OK && r->text && !strcmp(r->text, text);
}

static const char *shown(const struct ocr_result *r)
{
    return r->text ? r->text : "(none)";
}

/* ---------------------------------------------------------------- what is read */

TEST(text_is_read_line_by_line_with_its_confidence)
{
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    auto_paper p = page_shown(WHITE, BLACK);
    auto_result r = {0};
    CHECK_MSG(!read_paper(&b, &p, NULL, &r), "%s", b.fault.text);
    CHECK_MSG(reads_as(&r, text_shown), "%s", shown(&r));
    CHECK(r.words == 6 && r.line_count == 3 && !r.cut && r.len == strlen(text_shown));
    CHECK_MSG(r.confidence > 60 && r.confidence <= 100, "%g", (double)r.confidence);
    for (size_t i = 0; i < r.line_count; i++)
        CHECK(r.lines[i].words == 2 && r.lines[i].confidence > 50 && r.lines[i].at + r.lines[i].len <= r.len);
    CHECK(r.line_count == 3 && !strncmp(r.text + r.lines[1].at, "DATA FULL", r.lines[1].len));
}

TEST(light_text_on_a_dark_or_absent_ground_is_read_too)
{
    static const uint32_t grounds[] = {BLACK, CLEAR};
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    for (size_t i = 0; i < COUNT(grounds); i++) {
        auto_paper p = page_shown(grounds[i], WHITE);
        auto_result r = {0};
        CHECK_MSG(!read_paper(&b, &p, NULL, &r), "%s", b.fault.text);
        CHECK_MSG(reads_as(&r, text_shown), "%zu: %s", i, shown(&r));
    }
}

TEST(a_region_is_read_alone)
{
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    auto_paper p = page_shown(WHITE, BLACK);
    auto_buf png = BUF_INIT(FILE_MAX);
    make_png(&png, p.rgba, p.w, p.h);
    auto_result r = {0};
    struct fit_box line = {.x = 0, .y = 80, .w = 640, .h = 55, .set = 1};
    CHECK_MSG(!read_bytes(&b, MEDIA_PNG, png.data, png.len, &line, NULL, &r), "%s", b.fault.text);
    CHECK_MSG(reads_as(&r, "DATA FULL"), "%s", shown(&r));
    CHECK(r.picture.crop.y == 80 && r.picture.height == 55);
}

/* The picture as a camera stores it that was held on its side: EXIF 6, to be turned right to be upright. */
static struct paper stored_on_its_side(const struct paper *upright)
{
    struct paper side = paper_new(upright->h, upright->w, WHITE);
    for (uint32_t y = 0; y < upright->h; y++)
        for (uint32_t x = 0; x < upright->w; x++)
            memcpy(side.rgba + ((size_t)(upright->w - 1 - x) * side.w + y) * 4,
                   upright->rgba + ((size_t)y * upright->w + x) * 4, 4);
    return side;
}

TEST(a_picture_that_exif_turns_is_read_upright)
{
    static const uint8_t exif[] = "Exif\0\0MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1\0\6\0\0\0\0\0\0";
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    auto_paper p = page_shown(WHITE, BLACK);
    auto_paper side = stored_on_its_side(&p);
    auto_buf plain = BUF_INIT(FILE_MAX), jpeg = BUF_INIT(FILE_MAX);
    make_jpeg(&plain, side.rgba, side.w, side.h, JPEG_PLAIN);
    with_segment(&jpeg, &plain, 0xe1, exif, sizeof exif - 1);
    auto_result r = {0};
    CHECK_MSG(!read_bytes(&b, MEDIA_JPEG, jpeg.data, jpeg.len, NULL, NULL, &r), "%s", b.fault.text);
    CHECK(r.picture.orientation == 6 && r.picture.width == 640 && r.picture.height == 260);
    CHECK_MSG(reads_as(&r, text_shown), "%s", shown(&r));
}

TEST(a_picture_without_text_gives_none)
{
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    auto_paper p = paper_new(300, 200, WHITE);
    auto_result r = {0};
    CHECK_MSG(!read_paper(&b, &p, NULL, &r), "%s", b.fault.text);
    CHECK_MSG(reads_as(&r, ""), "%s", shown(&r));
    CHECK(!r.words && !r.line_count && !r.lines && r.confidence <= 0);
}

TEST(the_smallest_picture_is_no_trouble)
{
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    static const struct size sizes[] = {{1, 1}, {2, 1}, {1, 300}, {3, 3}, {4000, 1}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        auto_paper p = paper_new(sizes[i].w, sizes[i].h, BLACK);
        auto_result r = {0};
        CHECK_MSG(!read_paper(&b, &p, NULL, &r), "%s", b.fault.text);
        CHECK_MSG(reads_as(&r, ""), "%ux%u: %s", sizes[i].w, sizes[i].h, shown(&r));
    }
}

TEST(a_huge_picture_is_read_at_the_size_that_is_allowed)
{
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    auto_paper p = paper_new(7000, 6000, WHITE);
    letters_draw(&p, text_shown, 1000, 1000, 12, BLACK);
    auto_buf webp = BUF_INIT(FILE_MAX);
    make_webp(&webp, p.rgba, p.w, p.h, true);
    auto_result r = {0};
    CHECK_MSG(!read_bytes(&b, MEDIA_WEBP, webp.data, webp.len, NULL, NULL, &r), "%s", b.fault.text);
    CHECK((uint64_t)r.picture.width * r.picture.height <= LIMIT_OCR_PATCHES * 28ull * 28);
    CHECK(r.picture.source_w == 7000 && r.picture.width > 3700);
    CHECK_MSG(reads_as(&r, text_shown), "%s", shown(&r));
}

/* ---------------------------------------------------------------- what is not */

TEST(a_cut_picture_is_malformed_before_it_is_read)
{
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    auto_paper p = page_shown(WHITE, BLACK);
    auto_buf png = BUF_INIT(FILE_MAX);
    make_png(&png, p.rgba, p.w, p.h);
    auto_result r = {0};
    CHECK_MSG(!read_bytes(&b, MEDIA_PNG, png.data, png.len / 2, NULL, NULL, &r), "%s", b.fault.text);
    CHECK(r.end == POOL_DONE && r.picture.status == WORK_MALFORMED && r.picture.detail[0] && !r.text);
}

TEST(missing_language_data_is_a_fault_that_says_what_to_install)
{
    auto_bench b = bench_with(NULL, "chi_nowhere");
    auto_paper p = paper_new(30, 30, WHITE);
    struct ocr_result r = {.words = 77};
    CHECK(read_paper(&b, &p, NULL, &r) == -ENODATA);
    CHECK_MSG(strstr(b.fault.text, "apt-get install tesseract-ocr-chi-nowhere"), "%s", b.fault.text);
    CHECK(r.words == 77);
    char words[100];
    CHECK(ocr_check(b.ocr, words, sizeof words, &b.fault) == -ENODATA);
}

/* Writes the first len bytes of data as a language's and lets doctor look, then a picture be read. */
static void try_data(const char *folder, const void *data, size_t len)
{
    char file[64], words[100];
    (void)snprintf(file, sizeof file, "%s/eng.traineddata", folder);
    auto_close int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK(write(fd, data, len) == (ssize_t)len);
    auto_bench b = bench_with(folder, "eng");
    auto_paper p = paper_new(30, 30, WHITE);
    struct ocr_result r;
    CHECK_MSG(read_paper(&b, &p, NULL, &r) == -ENOEXEC, "%zu: %d %s", len, b.fault.code, b.fault.text);
    CHECK_MSG(strstr(b.fault.text, "tesseract-ocr-eng"), "%s", b.fault.text);
    CHECK_MSG(ocr_check(b.ocr, words, sizeof words, &b.fault) == -ENOEXEC, "%zu: %s", len, b.fault.text);
    (void)unlink(file);
}

TEST(broken_language_data_is_a_fault_too)
{
    char folder[] = "/tmp/fovea-ocr-test-XXXXXX";
    static const char words[] = "this is not what Tesseract learned";
    static const uint8_t endless[4] = {0xff, 0xff, 0xff, 0x7f}, empty[4 + 24 * 8] = {24};
    CHECK(mkdtemp(folder));
    try_data(folder, words, 0);
    try_data(folder, words, 1);
    try_data(folder, words, sizeof words);
    try_data(folder, endless, sizeof endless);
    try_data(folder, empty, sizeof empty);
    auto_bench b = bench_new();
    auto_close int fd = open(b.ocr->data, O_RDONLY | O_CLOEXEC);
    void *half = fd < 0 ? MAP_FAILED : mmap(NULL, MIB, PROT_READ, MAP_PRIVATE, fd, 0);
    if (half != MAP_FAILED)
        try_data(folder, half, MIB);
    (void)rmdir(folder);
}

TEST(a_language_cannot_be_a_path)
{
    static const char *const names[] = {"", "../eng", "eng/x", "eng+deu", "a.b",
                                        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ocr *o = NULL;
        struct fovea_fault fault;
        CHECK(ocr_new("/", NULL, names[i], &o, &fault) == -EINVAL && !o);
    }
}

TEST(a_missing_program_is_a_fault)
{
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    struct ocr *o = NULL;
    char words[100];
    CHECK(!ocr_new("/nonexistent", NULL, NULL, &o, &b.fault));
    CHECK(ocr_check(o, words, sizeof words, &b.fault) == -ENOENT);
    CHECK_MSG(strstr(b.fault.text, "/nonexistent/fovea-ocr"), "%s", b.fault.text);
    ocr_free(o);
}

/* ---------------------------------------------------------------- ends before the end */

/* A page that takes long to read. */
static struct paper long_page(void)
{
    struct paper p = paper_new(2400, 2400, WHITE);
    for (uint32_t y = 20; y + 40 < p.h; y += 40)
        letters_draw(&p, "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG AND THE PAGE GOES ON AND ON AS BEFORE", 20, y, 3,
                     BLACK);
    return p;
}

struct job {
    struct bench *b;
    const fovea_cancel *cancel;
    struct buf png;
    int code;
    int64_t ended;
};

static void *run_job(void *arg)
{
    struct job *j = arg;
    auto_result r = {0};
    j->code = read_bytes(j->b, MEDIA_PNG, j->png.data, j->png.len, NULL, j->cancel, &r);
    j->ended = clock_ms();
    return NULL;
}

/* The process of that program among our children; 0 none yet. */
static pid_t reader_pid(void)
{
    DIR *d = opendir("/proc");
    struct dirent *e;
    pid_t found = 0;
    while (d && !found && (e = readdir(d))) {
        char path[300], name[32] = "";
        int id = 0, ppid = 0;
        (void)snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
        FILE *f = e->d_name[0] >= '0' && e->d_name[0] <= '9' ? fopen(path, "re") : NULL;
        if (!f)
            continue;
        if (fscanf(f, "%d (%31[^)]) %*c %d", &id, name, &ppid) == 3 && ppid == getpid() && !strcmp(name, "fovea-ocr"))
            found = id;
        (void)fclose(f);
    }
    if (d)
        (void)closedir(d);
    return found;
}

static void start_long_job(struct job *j, pthread_t *thread)
{
    auto_paper p = long_page();
    for (int i = 0; i < 500 && reader_pid(); i++) /* one that an earlier test ended may still be going */
        (void)usleep(10000);
    CHECK(!reader_pid());
    make_png(&j->png, p.rgba, p.w, p.h);
    CHECK(!pthread_create(thread, NULL, run_job, j));
}

static long status_of(pid_t pid, const char *key)
{
    char path[64], line[256];
    long value = -1;
    (void)snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':')
            value = strtol(line + strlen(key) + 1, NULL, 10);
    if (f)
        (void)fclose(f);
    return value;
}

/* Once it looks at the job's pixels, which lie in memory that is shared, it reads for long. */
static pid_t reader_at_work(void)
{
    for (int i = 0; i < 3000; i++) {
        pid_t pid = reader_pid();
        if (pid && status_of(pid, "RssShmem") > 0)
            return pid;
        (void)usleep(10000);
    }
    return 0;
}

TEST(a_cancel_ends_the_reading_within_100_ms)
{
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    fovea_cancel *cancel = NULL;
    CHECK(!fovea_cancel_new(&cancel, &b.fault));
    struct job j = {.b = &b, .cancel = cancel, .png = BUF_INIT(FILE_MAX)};
    pthread_t thread;
    start_long_job(&j, &thread);
    CHECK(reader_at_work());
    int64_t struck = clock_ms();
    fovea_cancel_now(cancel);
    (void)pthread_join(thread, NULL);
    CHECK_MSG(j.code == -ECANCELED, "%d", j.code);
    CHECK_MSG(j.ended - struck <= (JAIL_SANITIZED ? 1000 : 100), "%lld ms", (long long)(j.ended - struck));
    fovea_cancel_free(cancel);
    buf_done(&j.png);
}

TEST(a_reader_that_is_killed_is_a_fault_and_the_next_one_works)
{
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    struct job j = {.b = &b, .png = BUF_INIT(FILE_MAX)};
    pthread_t thread;
    start_long_job(&j, &thread);
    pid_t pid = reader_at_work();
    CHECK(pid > 0 && !kill(pid, SIGKILL));
    (void)pthread_join(thread, NULL);
    CHECK_MSG(j.code == -EIO, "%d %s", j.code, b.fault.text);
    buf_done(&j.png);
    char words[100];
    CHECK_MSG(!ocr_check(b.ocr, words, sizeof words, &b.fault), "%s", b.fault.text);
    CHECK(strstr(words, "tesseract"));
}

/* ---------------------------------------------------------------- the jail */

/* What the filter forbids, jail_test shows call by call; here: the reader stands behind that same filter, alone. */
TEST(the_reader_is_in_the_jail_before_it_has_a_picture)
{
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    struct work_hello hello;
    CHECK(!ocr_enter(b.ocr, NULL, &b.fault));
    CHECK_MSG(!pool_hello(b.ocr->pool, &hello, &b.fault), "%s", b.fault.text);
    CHECK(!hello.error && !hello.layer[0] && hello.landlock_abi >= 1);
    pid_t pid = reader_pid();
    CHECK(pid > 0);
    CHECK(status_of(pid, "Seccomp") == 2 && status_of(pid, "NoNewPrivs") == 1 && status_of(pid, "Threads") == 1);
    ocr_leave(b.ocr);
}

/* ---------------------------------------------------------------- pictures of others */

#define CORPUS "../shared/corpora/ocr-tesseractjs/assets/images/"

/* A scan and a page, when they are there: most of the words that anybody sees in them are read. */
TEST(the_corpus_is_read)
{
    static const struct {
        const char *file;
        enum media media;
        const char *words[4];
    } rows[] = {
        {CORPUS "testocr.png", MEDIA_PNG, {"This is a lot of 12 point text", "brown dog", "quick"}},
        {CORPUS "cosmic.png", MEDIA_PNG, {"from beyond", "Cosmic Void"}},
    };
    auto_bench b = bench_new();
    NEEDS_DATA(&b);
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_close int fd = open(rows[i].file, O_RDONLY | O_CLOEXEC);
        struct stat st;
        if (fd < 0 || fstat(fd, &st))
            SKIP("the corpus is not there");
        struct ocr_request q = {.media = rows[i].media, .fd = fd, .len = (uint64_t)st.st_size};
        auto_result r = {0};
        CHECK_MSG(!ocr_run(b.ocr, b.pixels, &q, NULL, &r, &b.fault), "%s", b.fault.text);
        for (size_t k = 0; k < COUNT(rows[i].words) && rows[i].words[k]; k++)
            CHECK_MSG(r.text && strstr(r.text, rows[i].words[k]), "%s: %s", rows[i].words[k], shown(&r));
    }
}

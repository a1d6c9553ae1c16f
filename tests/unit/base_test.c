/* SPDX-License-Identifier: Apache-2.0 */
/* The base room: buffers keep their ceiling, UTF-8 is checked, hostile names cannot act, base64 and SHA-256 are right. */
#include "test.h"

#include <float.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/b64.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/grow.h"
#include "base/io.h"
#include "base/json_size.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/media.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/thread.h"
#include "comma.h"

TEST(buffer_stops_at_its_ceiling_and_stays_failed)
{
    auto_buf b = BUF_INIT(8);
    CHECK(buf_add(&b, "12345678", 8) == 0);
    CHECK(b.len == 8 && b.data[8] == '\0');
    CHECK(buf_add(&b, "9", 1) == -EFBIG);
    CHECK(buf_add(&b, "", 0) == -EFBIG);
    CHECK(buf_take(&b) == NULL);
}

TEST(buffer_size_sum_cannot_wrap)
{
    auto_buf b = BUF_INIT(SIZE_MAX);
    CHECK(buf_add(&b, "x", 1) == 0);
    CHECK(buf_reserve(&b, SIZE_MAX) == NULL);
    CHECK(b.error == -EFBIG);
}

TEST(buffer_formats_and_hands_over)
{
    auto_buf b = BUF_INIT(1 * KIB);
    CHECK(buf_add_format(&b, "%d-%s", 42, "x") == 0);
    auto_free char *s = buf_take(&b);
    CHECK_STR(s, "42-x");
    auto_free char *empty = buf_take(&b);
    CHECK_STR(empty, "");
}

TEST(utf8_rejects_what_unicode_forbids)
{
    static const struct {
        const char *s;
        bool good;
    } rows[] = {
        {"plain", true},
        {"caf\xc3\xa9", true},
        {"\xf0\x9f\x99\x82", true},
        {"\xc0\xaf", false},         /* overlong */
        {"\xe0\x80\x80", false},     /* overlong */
        {"\xed\xa0\x80", false},     /* surrogate */
        {"\xf4\x90\x80\x80", false}, /* beyond U+10FFFF */
        {"\xff", false},
        {"cut \xe2\x82", false},
        {"eight ascii bytes then \x80", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_MSG(utf8_valid(rows[i].s, strlen(rows[i].s)) == rows[i].good, "row %zu", i);
}

TEST(utf8_prefix_ends_before_the_bad_byte)
{
    CHECK(utf8_valid_prefix("0123456789abcdef\xff", 17) == 16);
    CHECK(utf8_valid_prefix("\xe2\x82\xac\xe2\x82", 5) == 3);
}

TEST(characters_are_written_as_they_are_read)
{
    static const uint32_t rows[] = {'a', 0xe9, 0x20ac, 0x1f642, 0x10ffff};
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_buf b = BUF_INIT(16);
        uint32_t back = 0;
        CHECK(buf_add_char(&b, rows[i]) == 0);
        CHECK(utf8_decode(b.data, b.len, &back) == b.len);
        CHECK(back == rows[i]);
        char plain[4];
        CHECK(utf8_encode(rows[i], plain) == b.len && !memcmp(plain, b.data, b.len));
    }
}

TEST(hostile_names_are_shown_not_obeyed)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"a.png", "a.png"},
        {"line\nbreak.png", "line\\nbreak.png"},
        {"\x1b[2J", "\\u001b[2J"},
        {"\xe2\x80\xaegnp.a", "\\u202egnp.a"},
        {"bad\xff.png", "bad\\xff.png"},
        {"tag\xf3\xa0\x81\x81", "tag\\U000e0041"},
        {"\xc3\xa9", "\xc3\xa9"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_buf b = BUF_INIT(1 * KIB);
        CHECK(buf_add_shown(&b, rows[i].in, 100) == 0);
        CHECK_STR(b.data, rows[i].out);
    }
    auto_buf cut = BUF_INIT(1 * KIB);
    CHECK(buf_add_shown(&cut, "abcdef", 3) == 0);
    CHECK_STR(cut.data, "abc…");
}

TEST(base64_matches_rfc_4648)
{
    static const char *const rows[][2] = {{"", ""},         {"f", "Zg=="},         {"fo", "Zm8="},       {"foo", "Zm9v"},
                                          {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char out[16] = "";
        size_t len = strlen(rows[i][0]);
        b64_encode((const uint8_t *)rows[i][0], len, out);
        out[B64_LEN(len)] = '\0';
        CHECK_STR(out, rows[i][1]);
    }
}

/* Many bytes at once and a few at a time give the same, whatever the length. */
TEST(base64_of_many_bytes_is_that_of_a_few_at_a_time)
{
    uint8_t data[300];
    char whole[B64_LEN(300)], bit[4];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 167 + (i >> 3));
    for (size_t len = 0; len <= sizeof data; len++) {
        b64_encode(data, len, whole);
        for (size_t i = 0; i < len; i += 3) {
            b64_encode(data + i, MIN(len - i, (size_t)3), bit);
            CHECK_MSG(memcmp(whole + i / 3 * 4, bit, 4) == 0, "%zu bytes, at %zu", len, i);
        }
    }
}

TEST(sha256_matches_its_standard)
{
    uint8_t digest[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    sha256("abc", 3, digest);
    sha256_hex(digest, hex);
    CHECK_STR(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void *hash_descriptor(void *arg)
{
    static uint8_t digest[SHA256_LEN];
    return sha256_fd(*(int *)arg, 100000, NULL, digest) == 0 ? digest : NULL;
}

/* A host may give its threads little. */
TEST(hashing_a_descriptor_fits_in_a_small_stack)
{
    auto_close int fd = memory_open("test");
    CHECK(fd >= 0 && !ftruncate(fd, 100000));
    pthread_attr_t small;
    pthread_t t;
    void *digest = NULL;
    CHECK(!pthread_attr_init(&small) && !pthread_attr_setstacksize(&small, 48 * KIB));
    CHECK(!pthread_create(&t, &small, hash_descriptor, &fd) && !pthread_join(t, &digest) && digest);
    (void)pthread_attr_destroy(&small);
    static const uint8_t zeros[100000];
    uint8_t want[SHA256_LEN];
    sha256(zeros, sizeof zeros, want);
    CHECK(digest && !memcmp(digest, want, sizeof want));
    CHECK(sha256_fd(fd, 100001, NULL, want) == -EIO);
}

TEST(sealed_memory_keeps_what_was_written)
{
    auto_close int fd = memory_open("test");
    char back[4] = "";
    CHECK(!write_all(fd, "abc", 3) && !write_all(fd, NULL, 0) && !memory_seal(fd));
    CHECK(write_all(fd, "d", 1) == -EPERM && ftruncate(fd, 1) < 0);
    CHECK(pread(fd, back, sizeof back, 0) == 3 && !strcmp(back, "abc"));
    CHECK(write_all(-1, "x", 1) == -EBADF);
}

TEST(memory_mapped_for_writing_is_not_sealed)
{
    auto_close int fd = memory_open("test");
    CHECK(!ftruncate(fd, 4096));
    void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(map != MAP_FAILED && memory_seal(fd) == -EBUSY);
    CHECK(!munmap(map, 4096) && !memory_seal(fd));
}

/* The first write ends at the limit; what cannot follow is told, not dropped. */
TEST(a_write_that_stops_half_way_is_told)
{
    auto_close int fd = memory_open("test");
    static const char data[8 * KIB];
    struct rlimit old, small;
    CHECK(!getrlimit(RLIMIT_FSIZE, &old));
    small = (struct rlimit){4 * KIB, old.rlim_max};
    void (*was)(int) = signal(SIGXFSZ, SIG_IGN);
    CHECK(!setrlimit(RLIMIT_FSIZE, &small));
    CHECK(write_all(fd, data, sizeof data) == -EFBIG);
    CHECK(!setrlimit(RLIMIT_FSIZE, &old));
    (void)signal(SIGXFSZ, was);
}

TEST(media_number_out_of_range_is_binary)
{
    CHECK(media_row((enum media)9999)->class == CLASS_BINARY);
    for (int m = 0; m < MEDIA_COUNT; m++)
        CHECK_MSG(media_row((enum media)m)->mime != NULL, "media %d", m);
}

TEST(fault_is_negative_and_cut_to_its_room)
{
    struct fovea_fault f;
    CHECK(fault_set(&f, EINVAL, "%0400d", 1) == -EINVAL);
    CHECK(f.code == -EINVAL && strlen(f.text) == sizeof f.text - 1);
    CHECK(fault_set(NULL, -EIO, "x") == -EIO);
}

static void *strike_soon(void *cancel)
{
    (void)usleep(20 * 1000);
    fovea_cancel_now(cancel);
    return NULL;
}

/* The greatest source there can be takes a second and more. */
TEST(a_cancel_ends_hashing)
{
    uint8_t digest[SHA256_LEN];
    fovea_cancel *cancel = NULL;
    struct fovea_fault fault;
    pthread_t thread;
    auto_close int fd = memfd_create("large", MFD_CLOEXEC);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)GIB) == 0 && fovea_cancel_new(&cancel, &fault) == 0);
    CHECK(pthread_create(&thread, NULL, strike_soon, cancel) == 0);
    int64_t start = clock_ms();
    CHECK(sha256_fd(fd, GIB, cancel, digest) == -ECANCELED);
    CHECK_MSG(clock_ms() - start < 300, "%ld ms", (long)(clock_ms() - start));
    CHECK(pthread_join(thread, NULL) == 0);
    fovea_cancel_free(cancel);
}

TEST(a_path_lies_beneath_a_folder_by_whole_names)
{
    static const struct {
        const char *path, *folder;
        bool want;
    } rows[] = {
        {"/a/b", "/a", true}, {"/a", "/a", true},    {"/a", "/a/", true},   {"/ab", "/a", false}, {"/a", "/a/b", false},
        {"/a", "/", true},    {"/", "/", true},      {"", "/", true},       {"/a", "", true},     {"", "/a", false},
        {"/a/b", "/a//", true}, {"/b/a", "/a", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_MSG(path_beneath(rows[i].path, rows[i].folder) == rows[i].want, "row %zu", i);
}

TEST(json_is_measured_without_being_parsed)
{
    static const struct {
        const char *text;
        size_t values;
        unsigned depth;
    } rows[] = {
        {"", 0, 0}, {"7", 0, 0}, {"[]", 1, 1}, {"[1,2,3]", 3, 1}, {"{\"a\":{\"b\":[1,2]},\"c\":0}", 5, 3},
        {"[\"],[{\",\"\\\"]\",\"\\\\\"]", 3, 1}, {"]]}}[", 1, 1}, {"[\"unended ,,,,[[[", 1, 1}, {"[\"\\", 1, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json_size s = json_measure(rows[i].text, strlen(rows[i].text), SIZE_MAX, UINT_MAX);
        CHECK_MSG(s.values == rows[i].values && s.depth == rows[i].depth, "%s: %zu values, %u deep", rows[i].text, s.values, s.depth);
    }
    CHECK(json_fits("[1,2,3]", 7, 3) && !json_fits("[1,2,3]", 7, 2) && json_fits("[1,2,3]", 4, 2));
    CHECK(json_measure("[[[[[[", 6, SIZE_MAX, 3).depth == 4);
}

static const struct {
    double v;
    const char *real, *rounded;
} numbers[] = {
    {0, "0.0", "0"},
    {-0.0, "-0.0", "-0"},
    {1.5, "1.5", "1.5"},
    {-1.5, "-1.5", "-1.5"},
    {2, "2.0", "2"},
    {0.1, "0.1", "0.1"},
    {0.1 + 0.2, "0.30000000000000004", "0.3"},
    {1234567.25, "1234567.25", "1.2346e+06"},
    {1e15, "1e+15", "1e+15"},
    {1.25e-7, "1.25e-07", "1.25e-07"},
    {1.7976931348623157e308, "1.7976931348623157e+308", "1.7977e+308"},
    {5e-324, "4.94065645841247e-324", "4.9407e-324"},
};

static void check_numbers(void)
{
    for (size_t i = 0; i < COUNT(numbers); i++) {
        auto_buf a = BUF_INIT(64), b = BUF_INIT(64);
        CHECK(buf_add_real(&a, numbers[i].v) == 0 && buf_add_rounded(&b, numbers[i].v, 5) == 0);
        CHECK_STR(a.data, numbers[i].real);
        CHECK_STR(b.data, numbers[i].rounded);
    }
    auto_buf all = BUF_INIT(256), fixed = BUF_INIT(400);
    CHECK(buf_add_reals(&all, (double[]){0, -0.1, 1e300, 100}, 4, ";") == 0 && buf_add_fixed(&fixed, 1234.56, 1) == 0);
    CHECK_STR(all.data, "0;-0.10000000000000001;1.0000000000000001e+300;100");
    CHECK_STR(fixed.data, "1234.6");
    CHECK(buf_add_fixed(&fixed, -DBL_MAX, 2) == 0 && fixed.len == strlen("1234.6") + 1 + DBL_MAX_10_EXP + 1 + 3);
}

static void check_numbers_read(void)
{
    char *end = NULL;
    CHECK(real_read("1.5,2", &end) == 1.5 && !strcmp(end, ",2"));
    CHECK(real_read("1e-3s", &end) == 1e-3 && !strcmp(end, "s"));
    CHECK(real_read("x", &end) == 0 && !strcmp(end, "x"));
    CHECK(real_read("2.25", NULL) == 2.25);
}

TEST(a_number_is_written_with_the_digits_that_it_needs)
{
    check_numbers();
}

TEST(a_number_is_read_up_to_what_is_none)
{
    check_numbers_read();
}

TEST(a_number_has_a_point_where_the_locale_writes_a_comma)
{
    if (!comma_on())
        SKIP("no locale with a comma can be made here (localedef)");
    check_numbers();
    check_numbers_read();
    comma_off();
}

/* ---------------------------------------------------------------- arrays and threads */

TEST(an_array_grows_to_its_ceiling_and_no_further)
{
    auto_free int *list = NULL;
    size_t room = 0, n = 0;
    for (; n < 100; n++) {
        CHECK(GROW(list, n, room, 100) == 0 && room > n && room <= 100);
        list[n] = (int)n;
    }
    CHECK(GROW(list, n, room, 100) == -EFBIG && room == 100);
    CHECK(list[0] == 0 && list[99] == 99);
}

TEST(an_array_that_cannot_grow_stays_what_it_was)
{
    auto_free char *list = NULL;
    size_t room = 0, full = SIZE_MAX / 2;
    CHECK(GROW(list, 0, room, 8) == 0 && room == 8);
    const char *was = list;
    size_t claimed = full;
    CHECK(grow(&list, full, &claimed, 1, SIZE_MAX) == -ENOMEM && claimed == full && list == was);
}

TEST(a_copy_of_nothing_is_nothing)
{
    auto_free char *copy = copy_new("words");
    CHECK_STR(copy, "words");
    CHECK(copy_new(NULL) == NULL);
}

static void *note_mask(void *arg)
{
    (void)pthread_sigmask(SIG_SETMASK, NULL, arg);
    return NULL;
}

/* A handler of the host's may count on the stack, the locks and the names of threads that the host made. */
TEST(a_thread_of_ours_handles_no_signal_of_the_hosts)
{
    sigset_t there, before, after;
    pthread_t thread;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    CHECK(thread_start(&thread, NULL, note_mask, &there) == 0);
    (void)pthread_join(thread, NULL);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    CHECK(sigismember(&there, SIGTERM) && sigismember(&there, SIGCHLD) && sigismember(&there, SIGRTMIN + 1));
    CHECK(sigismember(&before, SIGTERM) == sigismember(&after, SIGTERM) && !sigismember(&after, SIGCHLD));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Worker programs, as they are, by requests that no parent of theirs makes: each is answered with the reason, or the worker goes. */
#include "test.h"

#include "base/media.h"
#include "program.h"

/* ---------------------------------------------------------------- requests */

enum oddity { USUAL, SHORT, NO_FDS, OUTPUT_CLOSED, NO_INPUT_BYTES, OTHER_MISSING, WRONG_MAGIC };

struct row {
    const char *program, *argument;
    enum oddity odd;
    struct work_request q;
    uint32_t status;
    const char *words;
};

/* One black pixel. */
static const uint8_t pixel[] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13, 'I', 'H', 'D', 'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55,
                                0, 0, 0, 10, 'I', 'D', 'A', 'T', 0x78, 0x9c, 0x63, 0x60, 0, 0, 0, 2, 0, 1, 0x48, 0xaf, 0xa4, 0x71, 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};

#define LIMITS .limits = {.max_edge = 100, .max_bytes = 100000, .quality = 75, .resize = true}
#define NO_REQUEST "not a request of this version"
#define NO_DECODER "no decoder for this type"
#define NO_ROWS "not rows of a picture"

static const struct row rows[] = {
    {"fovea-worker", NULL, USUAL, {.media = MEDIA_PNG, LIMITS}, WORK_OK, ""},
    {"fovea-worker", "word", USUAL, {.media = MEDIA_PNG, LIMITS}, WORK_OK, ""},
    {"fovea-worker", NULL, SHORT, {0}, WORK_UNSUPPORTED, NO_REQUEST},
    {"fovea-worker", NULL, WRONG_MAGIC, {.media = MEDIA_PNG}, WORK_UNSUPPORTED, NO_REQUEST},
    {"fovea-worker", NULL, NO_FDS, {.media = MEDIA_PNG}, WORK_UNSUPPORTED, NO_REQUEST},
    {"fovea-worker", NULL, NO_INPUT_BYTES, {.media = MEDIA_PNG}, WORK_MALFORMED, "the input is shorter than it was"},
    {"fovea-worker", NULL, OTHER_MISSING, {.media = MEDIA_PNG}, WORK_MALFORMED, "the input is shorter than it was"},
    {"fovea-worker", NULL, USUAL, {.media = 12345}, WORK_UNSUPPORTED, NO_DECODER},
    {"fovea-worker", NULL, USUAL, {.media = MEDIA_PDF}, WORK_UNSUPPORTED, NO_DECODER},
    {"fovea-worker", NULL, USUAL, {.media = MEDIA_PNG, .flags = WORK_DIFF, .raw_w = 3, .raw_h = 3, LIMITS}, WORK_MALFORMED, ""},
    {"fovea-worker", NULL, OUTPUT_CLOSED, {.media = MEDIA_PNG, LIMITS}, WORK_NO_MEMORY, "cannot write the output"},
    {"fovea-photo", NULL, USUAL, {.media = MEDIA_PNG}, WORK_UNSUPPORTED, NO_DECODER},
    {"fovea-svg", NULL, USUAL, {.media = MEDIA_PNG}, WORK_UNSUPPORTED, NO_DECODER},
    {"fovea-text", NULL, USUAL, {.media = MEDIA_PNG}, WORK_UNSUPPORTED, NO_DECODER},
    {"fovea-text", NULL, USUAL, {.media = MEDIA_TEXT, .flags = WORK_REFS}, WORK_UNSUPPORTED, ""},
    {"fovea-pdf", NULL, USUAL, {.media = MEDIA_PNG}, WORK_UNSUPPORTED, NO_DECODER},
    {"fovea-video", NULL, USUAL, {.media = MEDIA_PNG}, WORK_UNSUPPORTED, NO_DECODER},
    {"fovea-ocr", NULL, SHORT, {0}, WORK_UNSUPPORTED, NO_REQUEST},
    {"fovea-ocr", NULL, NO_FDS, {0}, WORK_UNSUPPORTED, NO_REQUEST},
    {"fovea-ocr", NULL, USUAL, {.raw_w = sizeof pixel, .raw_h = 1}, WORK_UNSUPPORTED, NO_ROWS},
    {"fovea-ocr", NULL, USUAL, {.flags = WORK_TEXT, .raw_h = 1}, WORK_UNSUPPORTED, NO_ROWS},
    {"fovea-ocr", NULL, USUAL, {.flags = WORK_TEXT, .raw_w = 1}, WORK_UNSUPPORTED, NO_ROWS},
    {"fovea-ocr", NULL, USUAL, {.flags = WORK_TEXT, .raw_w = LIMIT_OCR_SIDE + 1, .raw_h = 1}, WORK_UNSUPPORTED, NO_ROWS},
    {"fovea-ocr", NULL, USUAL, {.flags = WORK_TEXT, .raw_w = 1, .raw_h = LIMIT_OCR_SIDE + 1}, WORK_UNSUPPORTED, NO_ROWS},
    {"fovea-ocr", NULL, USUAL, {.flags = WORK_TEXT, .raw_w = 2, .raw_h = 2}, WORK_UNSUPPORTED, NO_ROWS},
    {"fovea-ocr", NULL, USUAL, {.flags = WORK_TEXT, .raw_w = sizeof pixel, .raw_h = 1}, WORK_UNSUPPORTED, "the language data cannot be used"},
};

static void check_row(const struct row *r)
{
    struct child w = start(r->program, r->argument);
    struct work_request q = r->q;
    struct work_reply reply = {0};
    q.magic = r->odd == WRONG_MAGIC ? 1 : WORK_MAGIC;
    q.input_len = sizeof pixel + (r->odd == NO_INPUT_BYTES);
    q.other_len = r->odd == OTHER_MISSING;
    int fds[SERVE_FDS] = {file_of(pixel, sizeof pixel), r->odd == OUTPUT_CLOSED ? open("/dev/null", O_RDONLY | O_CLOEXEC) : file_of("", 0), -1};
    ask(&w, &q, r->odd == SHORT ? 8 : sizeof q, r->odd == NO_FDS ? NULL : fds);
    CHECK_MSG(recv(w.socket, &reply, sizeof reply, 0) == sizeof reply && reply.status == r->status && (!*r->words || !strcmp(reply.detail, r->words)),
              "%s %d: %u %s", r->program, (int)r->odd, reply.status, reply.detail);
    CHECK(reply.status == WORK_OK || reply.detail[0]);
    CHECK(end(&w) == 0);
    close_fd(fds[0]);
    close_fd(fds[1]);
}

TEST(requests_that_no_parent_makes_are_answered_with_the_reason)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        check_row(&rows[i]);
}

TEST(a_worker_whose_parent_is_gone_goes)
{
    static const char *const programs[] = {"fovea-worker", "fovea-ocr"};
    for (size_t i = 0; i < COUNT(programs); i++) {
        struct child w = start(programs[i], NULL);
        CHECK(end(&w) == 1);
    }
}

TEST(a_worker_whose_parent_goes_before_the_answer_says_so)
{
    static const char *const programs[] = {"fovea-worker", "fovea-ocr"};
    for (size_t i = 0; i < COUNT(programs); i++) {
        struct child w = start(programs[i], NULL);
        struct work_request q = {.magic = WORK_MAGIC};
        CHECK(shutdown(w.socket, SHUT_RD) == 0);
        ask(&w, &q, sizeof q, NULL);
        CHECK(end(&w) == 1);
    }
}

/* ---------------------------------------------------------------- language data */

TEST(language_data_that_is_none_is_not_used)
{
    static const uint8_t none[64] = {0}, far[] = {25, 0, 0, 0, 1, 2, 3}, many[64] = {0xff, 0xff};
    static const struct {
        const char *name;
        const void *data;
        size_t len;
    } files[] = {{"eng", far, sizeof far}, {"a.traineddata", none, 0}, {"b.traineddata", none, sizeof none}, {"c.traineddata", far, sizeof far},
                 {"d.traineddata", many, sizeof many},
                 {"a-name-that-is-longer-than-the-name-of-any-language-that-there-is.traineddata", none, sizeof none}};
    char folder[] = "/tmp/fovea-program-XXXXXX";
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    for (size_t i = 0; i <= COUNT(files); i++) {
        const char *name = i < COUNT(files) ? files[i].name : "not-there.traineddata";
        auto_close int fd = i < COUNT(files) ? open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
        CHECK(fd < 0 || write(fd, files[i].data, files[i].len) == (ssize_t)files[i].len);
        check_row(&(struct row){"fovea-ocr", name, USUAL, {.flags = WORK_TEXT, .raw_w = sizeof pixel, .raw_h = 1}, WORK_UNSUPPORTED,
                                "the language data cannot be used"});
        (void)unlink(name);
    }
    CHECK(chdir("/") == 0 && rmdir(folder) == 0);
}

TEST(text_that_cannot_be_written_is_said)
{
    static const char *const places[] = {"/usr/share/tesseract-ocr/5/tessdata/eng.traineddata", "/usr/share/tesseract-ocr/4.00/tessdata/eng.traineddata"};
    for (size_t i = 0; i < COUNT(places); i++) {
        if (access(places[i], R_OK) < 0)
            continue;
        check_row(&(struct row){"fovea-ocr", places[i], OUTPUT_CLOSED, {.flags = WORK_TEXT, .raw_w = sizeof pixel, .raw_h = 1}, WORK_NO_MEMORY, "cannot write the text"});
        return;
    }
    SKIP("there is no language data here");
}

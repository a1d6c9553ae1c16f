/* SPDX-License-Identifier: Apache-2.0 */
/* What a request may name in which kind of source: pages, frames, times, sheets, regions and other pictures; and what is said of a
 * name that means nothing there. */
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "built.h"
#include "fovea.h"
#include "handles.h"

static fovea *context(void)
{
    fovea *f = NULL;
    struct fovea_fault fault = {0};
    const char *reach[] = {build_folder(), NULL};
    struct fovea_options o = {.cwd = build_folder(), .reach = reach, .config_file = "", .worker_dir = build_folder(), .render = FOVEA_RENDER_ALL};
    CHECK_MSG(fovea_new(&o, &f, &fault) == 0, "%s", fault.text);
    return f;
}

static fovea_result *see(fovea *f, const struct fovea_view_request *q)
{
    struct fovea_fault fault = {0};
    fovea_result *r = NULL;
    int code = fovea_view(f, q, &r, &fault);
    CHECK_MSG(code == 0, "%s: %s", q->path, fault.text);
    return r;
}

/* Sources that are short enough to stand here. */
#define PAGE(n) #n " 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\n"
#define PDF "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>endobj\n" PAGE(3) PAGE(4) "trailer<</Root 1 0 R>>\n%%EOF\n"
#define TEN_KIDS "3 0 R 3 0 R 3 0 R 3 0 R 3 0 R 3 0 R 3 0 R 3 0 R 3 0 R 3 0 R "
#define MANY_PAGES "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[" TEN_KIDS TEN_KIDS TEN_KIDS TEN_KIDS \
    TEN_KIDS TEN_KIDS TEN_KIDS "]/Count 70>>endobj\n" PAGE(3) "trailer<</Root 1 0 R>>\n%%EOF\n"
#define SVG "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'><rect width='20' height='30' fill='red'/></svg>"
#define WORDS "some words\n"
#define GIVEN(name, bytes) .path = (name), .data = (bytes), .data_len = sizeof(bytes) - 1
#define PNG .path = "fixtures/good/png-rgb-8.png"
#define GIF .path = "fixtures/good/gif-animated-3-frames.gif"
#define TALL .path = "fixtures/good/png-very-tall.png"
#define TIFF .path = "photos/good/three-pages.tif"
#define VIDEO .path = "fixtures/video/good/h264.mp4"
#define BOX .region = {0, 0, 5, 5, true}

/* Nothing of it is shown, and these words say why. */
static const struct row {
    const char *program; /* that the kind needs; NULL: fovea-worker */
    struct fovea_view_request q;
    const char *words;
} refused[] = {
    {NULL, {GIF, .time = {1, true}, .frame = 2}, "\"time\" and \"frame\" both name a frame"},
    {NULL, {GIF, .sheet = true, .frame = 2}, "leave out \"frame\" and \"time\", or \"sheet\""},
    {NULL, {GIF, .sheet = true, .time = {1, true}}, "leave out \"frame\" and \"time\", or \"sheet\""},
    {NULL, {GIF, .sheet = true, BOX}, "a region is part of one picture"},
    {NULL, {TIFF, .page = {1, 2}, BOX}, "a region is part of one picture"},
    {NULL, {GIF, .sheet = true, .against = "fixtures/good/gif-still.gif"}, "\"against\" compares one picture with another"},
    {NULL, {GIF, .time = {1, true}}, "is no video, so \"time\" names nothing in it; use \"frame\""},
    {NULL, {PNG, .time = {1, true}}, "is no video, so \"time\" names nothing in it; use \"frame\""},
    {NULL, {PNG, .frame = 2}, "frame"},
    {NULL, {TALL, .page = {1, 2}}, "its pages are tiles of one picture"},
    {NULL, {TALL, .page = {2, 2}, BOX}, "a region is measured in the whole"},
    {NULL, {PNG, BOX, .space = "view"}, "space \"view\" needs \"view\""},
    {NULL, {PNG, BOX, .space = "view", .view = "view:0000000000"}, "is no view that a region can be measured in"},
    {NULL, {PNG, .region = {0, 0, 0, 10, true}}, "the region is empty or outside the picture, which is 67x41"},
    {NULL, {PNG, .region = {9, 9, 5, -5, true}}, "the region is empty or outside the picture, which is 67x41"},
    {NULL, {PNG, .region = {5000, 0, 5, 5, true}}, "the region is empty or outside the picture, which is 67x41"},
    {"photo", {TIFF, .time = {1, true}}, "is no video, so \"time\" names nothing in it; use \"page\""},
    {"photo", {TIFF, .frame = 2}, "has 1 frame; use \"page\""},
    {"photo", {TIFF, .page = {1, 999}}, "has 3 pages, so there is no page 999"},
    {"photo", {TIFF, .sheet = true}, "has 3 pages; they are shown on a sheet by naming them: \"page\": \"1-3\""},
    {"photo", {TIFF, .page = {9, 9}}, "3 pages"},
    {"svg", {GIVEN("a.svg", SVG), .frame = 2}, "has 1 frame; leave out \"frame\""},
    {"svg", {GIVEN("a.svg", SVG), .region = {0, 0, 0, 10, true}}, "which is 40x30 user units"},
    {"svg", {GIVEN("a.svg", SVG), .time = {1, true}}, "use \"frame\""},
    {"svg", {GIVEN("a.svg", SVG), .region = {500, 0, 5, 5, true}}, "user units"},
    {"pdf", {GIVEN("a.pdf", PDF), .frame = 2}, "has 1 frame; use \"page\""},
    {"pdf", {GIVEN("a.pdf", PDF), .region = {5, 5, -5, 9, true}}, "which is 99x99 pt"},
    {"pdf", {GIVEN("a.pdf", PDF), .page = {1, 100}}, "has 2 pages, so there is no page 100"},
    {"pdf", {GIVEN("a.pdf", MANY_PAGES), .page = {2, 70}}, "has 70 pages; a sheet shows at most 64 of them"},
    {"pdf", {GIVEN("a.pdf", PDF), .time = {1, true}}, "use \"page\""},
    {"pdf", {GIVEN("a.pdf", PDF), .sheet = true}, "is shown on a sheet by naming pages: \"page\": \"1-6\""},
    {"pdf", {GIVEN("a.pdf", PDF), .region = {500, 0, 5, 5, true}}, " pt"},
    {"pdf", {GIVEN("a.pdf", PDF), .page = {3, 3}}, "2 pages"},
    {"text", {GIVEN("a.txt", WORDS), .page = {1, 2}}, "is shown one page at a time; name one in \"page\""},
    {"text", {GIVEN("a.txt", WORDS), .sheet = true}, "is shown one page at a time; name one in \"page\""},
    {"text", {GIVEN("a.txt", WORDS), .region = {90000, 0, 5, 5, true}}, " units"},
    {"video", {VIDEO, .page = {1, 1}}, "is a video and has no pages; use \"time\" or \"frame\""},
    {"video", {VIDEO, BOX}, "is a video: name the one frame that is meant"},
    {"video", {VIDEO, .against = "fixtures/good/png-rgb-8.png"}, "is a video: name the one frame that is meant"},
    {"video", {VIDEO, .time = {90000, true}}, "is over by then: it lasts"},
    {"video", {VIDEO, .frame = 100000}, "frames"},
};

/* It is shown. */
static const struct row shown[] = {
    {NULL, {GIF, .sheet = true}, NULL},
    {"svg", {GIVEN("a.svg", SVG), .frame = 1}, NULL},
    {"pdf", {GIVEN("a.pdf", PDF), .frame = 1}, NULL},
    {NULL, {GIF, .frame = 3, BOX}, NULL},
    {NULL, {PNG, .sheet = true}, NULL},
    {NULL, {TALL, .page = {2, 2}}, NULL},
    {NULL, {TALL, .page = {2, 2}, .against = "fixtures/good/png-very-tall.png"}, NULL},
    {NULL, {TALL, .page = {1, 1}, BOX}, NULL},
    {NULL, {PNG, BOX, .space = "unit"}, NULL},
    {NULL, {PNG, BOX, .space = "source", .against = "fixtures/good/png-gray-8.png"}, NULL},
    {NULL, {PNG, .detail = "full"}, NULL},
    {NULL, {PNG, .detail = "full", .model = "anthropic/claude-opus-4-7"}, NULL},
    {NULL, {PNG, .detail = "full", .model = "google/gemini-2.5-pro"}, NULL},
    {NULL, {PNG, .detail = "auto", .model = "openai/gpt-5.4"}, NULL},
    {NULL, {GIF, .frame = 2, .against = "fixtures/good/gif-animated-3-frames.gif"}, NULL},
    {NULL, {GIF, .frame = 2, .against = "fixtures/good/png-rgb-8.png"}, NULL},
    {"photo", {TIFF, .page = {1, 3}}, NULL},
    {"photo", {TIFF, .page = {2, 2}, .against = "photos/good/three-pages.tif"}, NULL},
    {"photo", {TIFF, .against = "photos/good/rgb.tif"}, NULL},
    {"photo", {.path = "photos/good/rgb.tif", .against = "photos/good/three-pages.tif"}, NULL},
    {"svg", {GIVEN("a.svg", SVG), BOX}, NULL},
    {"svg", {GIVEN("a.svg", SVG), .against = "fixtures/good/png-rgb-8.png"}, NULL},
    {"svg", {GIVEN("A.SVG", SVG)}, NULL},
    {"pdf", {GIVEN("a.pdf", PDF), .page = {1, 2}}, NULL},
    {"pdf", {GIVEN("a.pdf", PDF), .page = {2, 2}, .region = {0, 0, 5, 5, true}}, NULL},
    {"pdf", {GIVEN("a.pdf", PDF), .page = {2, 2}, .against = "fixtures/good/png-rgb-8.png"}, NULL},
    {"text", {GIVEN("a.markdown", "# " WORDS)}, NULL},
    {"text", {GIVEN("a.mdown", "# " WORDS)}, NULL},
    {"text", {GIVEN("a.md", "![one beside it](png-rgb-8.png)\n")}, NULL},
    {"text", {GIVEN("a.txt", WORDS), .page = {1, 1}, .region = {0, 0, 60, 20, true}}, NULL},
    {"text", {GIVEN("a.txt", WORDS), .region = {56, 16, 20, 20, true}}, NULL}, /* was said to need more memory than a decoder may use */
    {"text", {GIVEN("a.md", "# " WORDS), .region = {30, 30, 1, 1, true}}, NULL},
    {"video", {VIDEO}, NULL},
    {"video", {VIDEO, .frame = 2, BOX}, NULL},
    {"video", {VIDEO, .time = {0.1, true}, .against = "fixtures/good/png-rgb-8.png"}, NULL},
    {"video", {.path = "fixtures/video/good/still.mp4"}, NULL},
    {"video", {.path = "fixtures/video/good/one-frame.mp4", .frame = 1}, NULL},
};

static bool skipped(const struct row *row)
{
    return row->program && !has_program(row->program);
}

TEST(a_name_that_means_nothing_in_a_source_is_refused_in_words_that_say_what_to_do)
{
    auto_fovea *f = context();
    for (size_t i = 0; i < COUNT(refused); i++) {
        if (skipped(&refused[i]))
            continue;
        auto_result *r = see(f, &refused[i].q);
        const char *reason = r ? fovea_result_reason(r) : NULL;
        CHECK_MSG(reason && !strcmp(reason, "invalid_input") && strstr(fovea_result_text(r), refused[i].words), "row %zu (%s): %s: %s", i,
                  refused[i].words, reason, r ? fovea_result_text(r) : "");
    }
}

TEST(what_a_source_has_is_shown_by_its_name)
{
    auto_fovea *f = context();
    for (size_t i = 0; i < COUNT(shown); i++) {
        if (skipped(&shown[i]))
            continue;
        auto_result *r = see(f, &shown[i].q);
        CHECK_MSG(r && fovea_result_kind(r) == FOVEA_PERCEPTION, "row %zu, %s: %s", i, shown[i].q.path, r ? fovea_result_text(r) : "");
    }
}

/* ---------------------------------------------------------------- what a name promises */

TEST(text_by_the_name_of_a_picture_is_said_to_be_text)
{
    static const char *const names[] = {"a.png", "a.jpg", "a.JPEG", "a.gif", "a.webp", "a.heic", "a.mp4", "a.pdf"};
    auto_fovea *f = context();
    for (size_t i = 0; i < COUNT(names); i++) {
        auto_result *r = see(f, &(struct fovea_view_request){GIVEN(names[i], WORDS)});
        CHECK_MSG(r && fovea_result_reason(r) && !strcmp(fovea_result_reason(r), "unperceivable_type") &&
                      strstr(fovea_result_text(r), "is text by its content, not what its name says"),
                  "%s: %s", names[i], r ? fovea_result_text(r) : "");
    }
}

TEST(bytes_that_are_nothing_known_are_told_apart_from_text_in_another_encoding)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *words;
    } rows[] = {
        {"", 0, "is empty; it holds no picture"},
        {"gr\xfc\xdf" "e aus K\xf6ln\n", 14, "is not UTF-8 from byte 3 on; if it is text in another encoding"},
        {"\xe4\xf6\xfc\xdf\xc4\xd6\xdc" "a", 8, "is nothing that can be shown, by its content"},
        {"a\x7f\xff", 3, "is nothing that can be shown, by its content"},
        {"\x1b[1m\xff bold", 10, "is not UTF-8 from byte 5 on"},
        {"\x01\x02\x03", 3, "is nothing that can be shown, by its content"},
        {"page\x01one\x7f\n", 10, "has a control character at byte 5 and is not taken for text; use read"},
        {"page\x01one\0", 9, "is nothing that can be shown, by its content"},
    };
    auto_fovea *f = context();
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_result *r = see(f, &(struct fovea_view_request){.path = "thing", .data = rows[i].bytes, .data_len = rows[i].len});
        CHECK_MSG(r && strstr(fovea_result_text(r), rows[i].words), "row %zu: %s", i, r ? fovea_result_text(r) : "");
    }
}

/* ---------------------------------------------------------------- regions in earlier views */

static const char *id_of(const fovea_result *r)
{
    struct fovea_image m = {0};
    CHECK_MSG(fovea_result_image(r, &m) == 0, "%s", fovea_result_text(r));
    return m.id;
}

static void measured_elsewhere(fovea *f, const struct fovea_view_request *q, const char *words)
{
    auto_result *r = see(f, q);
    CHECK_MSG(r && (words ? fovea_result_reason(r) && strstr(fovea_result_text(r), words) : fovea_result_kind(r) == FOVEA_PERCEPTION),
              "%s page %d frame %d: %s", q->path, (int)q->page.first, (int)q->frame, r ? fovea_result_text(r) : "");
}

TEST(a_region_is_of_the_page_frame_or_time_that_it_was_measured_in)
{
    static const char other[] = "shows another page, frame or time", many[] = "shows several pictures";
    auto_fovea *f = context();
    auto_result *sheet = see(f, &(struct fovea_view_request){GIF, .sheet = true});
    measured_elsewhere(f, &(struct fovea_view_request){GIF, BOX, .view = id_of(sheet)}, many);
    auto_result *both = see(f, &(struct fovea_view_request){PNG, .against = "fixtures/good/png-gray-8.png"});
    measured_elsewhere(f, &(struct fovea_view_request){PNG, BOX, .view = id_of(both)}, "the region lies in none of the three");
    if (has_program("photo")) {
        auto_result *second = see(f, &(struct fovea_view_request){TIFF, .page = {2, 2}});
        measured_elsewhere(f, &(struct fovea_view_request){TIFF, BOX, .view = id_of(second), .page = {2, 2}}, NULL);
        measured_elsewhere(f, &(struct fovea_view_request){TIFF, BOX, .view = id_of(second), .page = {3, 3}}, other);
    }
    if (has_program("video")) {
        auto_result *then = see(f, &(struct fovea_view_request){VIDEO, .time = {0.1, true}});
        measured_elsewhere(f, &(struct fovea_view_request){VIDEO, BOX, .view = id_of(then), .time = {0.1, true}}, NULL);
        measured_elsewhere(f, &(struct fovea_view_request){VIDEO, BOX, .view = id_of(then), .time = {0.5, true}}, other);
        measured_elsewhere(f, &(struct fovea_view_request){VIDEO, BOX, .view = id_of(then), .frame = 1}, other);
        auto_result *first = see(f, &(struct fovea_view_request){VIDEO, .frame = 1});
        measured_elsewhere(f, &(struct fovea_view_request){VIDEO, BOX, .view = id_of(first), .time = {0.1, true}}, other);
    }
}

TEST(a_comparison_is_not_compared_again)
{
    auto_fovea *f = context();
    auto_result *both = see(f, &(struct fovea_view_request){PNG, .against = "fixtures/good/png-gray-8.png"});
    measured_elsewhere(f, &(struct fovea_view_request){.path = id_of(both), .against = "fixtures/good/png-rgb-8.png"},
                       "shows two pictures that were compared");
}

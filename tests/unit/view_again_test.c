/* SPDX-License-Identifier: Apache-2.0 */
/* What was seen once, by its view:ID: the same part of the same source, whatever the limits are by then, in this process and from
 * the record of a session, and never more than a session may see. */
#include "test.h"

#include <jansson.h>
#include <math.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "built.h"
#include "fovea.h"
#include "handles.h"
#include "top.h"

/* ---------------------------------------------------------------- a place to be in */

static void put_lines(const char *name, int n)
{
    static char text[64 * KIB];
    size_t len = 0;
    for (int i = 1; i <= n; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "line %d\n", i);
    put_bytes(name, text, len);
}

static void made_tree(void)
{
    if (top_is_home())
        CHECK(mkdir(in_top("elsewhere"), 0700) == 0);
}

static fovea *context_with(const char *workers)
{
    fovea *f = NULL;
    struct fovea_fault fault = {0};
    made_tree();
    const char *reach[] = {top, NULL};
    struct fovea_options o = {.cwd = top, .reach = reach, .config_file = "", .worker_dir = workers,
                              .render = FOVEA_RENDER_ALL};
    CHECK_MSG(fovea_new(&o, &f, &fault) == 0, "%s", fault.text);
    return f;
}

static fovea *context(void)
{
    return context_with(build_folder());
}

static fovea_session *session(fovea *f, struct fovea_session_options o)
{
    fovea_session *s = NULL;
    struct fovea_fault fault = {0};
    CHECK_MSG(fovea_session_new(f, &o, &s, &fault) == 0, "%s", fault.text);
    return s;
}

static fovea_result *see(fovea *f, fovea_session *s, struct fovea_view_request q)
{
    struct fovea_fault fault = {0};
    fovea_result *r = NULL;
    int code = s ? fovea_session_ask(s, "view", &q, NULL, &r, &fault) : fovea_view(f, &q, &r, &fault);
    CHECK_MSG(code == 0, "%s: %s", q.path, fault.text);
    return r;
}

#define SEE(f, ...) see(f, NULL, (struct fovea_view_request){__VA_ARGS__})
#define ASK(s, ...) see(NULL, s, (struct fovea_view_request){__VA_ARGS__})

/* A member of the result, as JSON. */
static const char *told(const fovea_result *r, const char *member)
{
    static char words[128][2048];
    static unsigned next;
    char *to = words[next++ % COUNT(words)];
    auto_free char *text = fovea_result_json_new(r, 0);
    json_t *o = json_loads(text ? text : "", 0, NULL), *v = json_object_get(o, member);
    auto_free char *dump = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    (void)snprintf(to, sizeof words[0], "%s", json_is_string(v) ? json_string_value(v) : dump ? dump : "");
    json_decref(o);
    return to;
}

static struct fovea_image image_of(const fovea_result *r)
{
    struct fovea_image m = {0};
    CHECK_MSG(fovea_result_image(r, &m) == 0, "%s", fovea_result_text(r));
    return m;
}

static bool same_bytes(const fovea_result *a, const fovea_result *b)
{
    struct fovea_image x = image_of(a), y = image_of(b);
    return x.len == y.len && !memcmp(x.data, y.data, x.len);
}

static const char *reason(const fovea_result *r)
{
    const char *words = fovea_result_reason(r);
    return words ? words : fovea_result_text(r);
}

/* ---------------------------------------------------------------- parts */

TEST(a_tile_seen_again_is_the_same_part_under_any_limits)
{
    auto_fovea *f = context(), *other = context();
    auto_session *s = session(f, (struct fovea_session_options){.name = "tiles"});
    auto_session *same = session(other, (struct fovea_session_options){.name = "tiles"});
    copy_file(fixture("png-very-tall.png"), "tall.png");
    auto_result *tile = ASK(s, .path = "tall.png", .page = {2, 0});
    const char *id = told(tile, "id");
    auto_result *again = ASK(s, .path = id), *small = ASK(s, .path = id, .max_edge = 400);
    auto_result *recorded = ASK(same, .path = id, .max_edge = 400);
    CHECK(image_of(tile).offset[1] > 0);
    CHECK_STR(told(again, "id"), id);
    CHECK(same_bytes(tile, again) && same_bytes(small, recorded));
    CHECK(image_of(small).offset[1] == image_of(tile).offset[1]);
    CHECK_MSG(fabs(image_of(small).scale[1] * image_of(small).height - image_of(tile).height * image_of(tile).scale[1]) < 0.001,
              "%s", told(small, "note"));
}

/* By this process, and by another that has only the record. */
TEST(a_view_seen_again_has_the_fit_that_was_asked_for)
{
    auto_fovea *f = context(), *other = context();
    auto_session *s = session(f, (struct fovea_session_options){.name = "fits"});
    auto_session *same = session(other, (struct fovea_session_options){.name = "fits"});
    copy_file(fixture("png-very-tall.png"), "long.png");
    copy_file(fixture("png-rgb-8.png"), "fit.png");
    const struct fovea_view_request first[] = {
        {.path = "fit.png", .max_edge = 40},
        {.path = "long.png", .max_edge = 400, .model = "claude-opus-4-7"},
        {.path = "long.png", .detail = "full", .model = "claude-opus-4-7"},
        {.path = "long.png", .page = {2, 0}},
        {.path = "long.png", .page = {2, 0}, .max_edge = 900},
        {.path = "fit.png", .max_edge = 40, .region = {0, 0, 60, 60, true}},
    };
    for (size_t i = 0; i < COUNT(first); i++) {
        auto_result *seen = see(NULL, s, first[i]);
        fovea_session *both[] = {s, same};
        for (size_t k = 0; k < COUNT(both); k++) {
            auto_result *again = ASK(both[k], .path = told(seen, "id"));
            static const char *const members[] = {"id", "width", "height", "page", "region", "tokens"};
            for (size_t m = 0; m < COUNT(members); m++)
                CHECK_MSG(!strcmp(told(again, members[m]), told(seen, members[m])), "%zu,%zu: %s is %s, not %s", i, k, members[m],
                          told(again, members[m]), told(seen, members[m]));
        }
    }
    auto_result *small = ASK(s, .path = "fit.png", .max_edge = 40);
    auto_result *larger = ASK(s, .path = told(small, "id"), .max_edge = 50);
    auto_result *part = ASK(s, .path = told(small, "id"), .region = {0, 0, 60, 45, true});
    CHECK(image_of(small).width == 40 && image_of(larger).width == 50);
    CHECK_MSG(image_of(part).width == 60, "a part of it is as small: %u", image_of(part).width);
}

TEST(a_page_of_text_seen_again_has_the_same_lines_under_any_limits)
{
    if (!has_program("text"))
        SKIP("fovea-text is not built");
    auto_fovea *f = context(), *other = context();
    auto_session *s = session(f, (struct fovea_session_options){.name = "lines"});
    auto_session *same = session(other, (struct fovea_session_options){.name = "lines"});
    put_lines("n.txt", 300);
    auto_result *page = ASK(s, .path = "n.txt", .page = {2, 0});
    const char *id = told(page, "id"), *lines = told(page, "lines");
    auto_result *again = ASK(s, .path = id);
    CHECK_STR(told(again, "id"), id);
    CHECK(same_bytes(page, again));
    struct fovea_image whole = image_of(page);
    struct fovea_box box = {0, whole.height / 2, whole.width, whole.height / 2, true};
    fovea_session *both[] = {s, same};
    for (size_t i = 0; i < COUNT(both); i++) {
        auto_result *small = ASK(both[i], .path = id, .max_edge = 800);
        CHECK_STR(told(small, "lines"), lines);
        CHECK_STR(told(small, "page"), "2");
        CHECK(image_of(small).height <= 800 && image_of(small).width <= 800);
        CHECK(strcmp(told(small, "id"), id) != 0);
        auto_result *zoom = ASK(both[i], .path = id, .space = "view", .region = box, .max_edge = 800);
        CHECK_MSG(fabs(image_of(zoom).offset[1] - box.y * whole.scale[1]) < 0.01, "%s", told(zoom, "note"));
        CHECK(strcmp(told(zoom, "lines"), lines) != 0);
    }
}

TEST(a_part_of_a_page_of_text_has_the_lines_that_are_shown)
{
    if (!has_program("text"))
        SKIP("fovea-text is not built");
    auto_fovea *f = context();
    put_lines("few.txt", 40);
    auto_result *page = SEE(f, .path = "few.txt");
    struct fovea_image m = image_of(page);
    CHECK_STR(told(page, "lines"), "[1,40]");
    auto_result *half = SEE(f, .path = told(page, "id"), .space = "view", .region = {0, m.height / 2, m.width, m.height, true});
    int first = 0, last = 0;
    CHECK(sscanf(told(half, "lines"), "[%d,%d]", &first, &last) == 2);
    CHECK_MSG(first >= 19 && first <= 22 && last == 40, "%s", told(half, "note"));
    CHECK(strstr(told(half, "note"), "line = 2") != NULL || first == 19);
}

TEST(a_region_measured_on_another_page_or_frame_is_refused)
{
    auto_fovea *f = context();
    copy_file(fixture("gif-animated-3-frames.gif"), "a.gif");
    auto_result *second = SEE(f, .path = "a.gif", .frame = 2);
    const char *id = told(second, "id");
    const struct fovea_box box = {0, 0, 5, 5, true};
    auto_result *same = SEE(f, .path = "a.gif", .view = id, .region = box, .frame = 2);
    auto_result *unsaid = SEE(f, .path = "a.gif", .view = id, .region = box);
    auto_result *third = SEE(f, .path = "a.gif", .view = id, .region = box, .frame = 3);
    CHECK_STR(told(same, "frame"), "2");
    CHECK_STR(told(unsaid, "frame"), "2");
    CHECK_STR(reason(third), "invalid_input");
    CHECK_MSG(strstr(fovea_result_text(third), "another page, frame or time"), "%s", fovea_result_text(third));
}

TEST(a_region_of_a_recorded_drawing_maps_to_the_last_digit)
{
    if (!has_program("svg"))
        SKIP("fovea-svg is not built");
    auto_fovea *f = context(), *other = context();
    auto_session *s = session(f, (struct fovea_session_options){.name = "svg"});
    auto_session *same = session(other, (struct fovea_session_options){.name = "svg"});
    put("a.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800.4\" height=\"400.2\"><rect width=\"50\" height=\"50\"/></svg>");
    auto_result *whole = ASK(s, .path = "a.svg");
    const struct fovea_box box = {196, 343, 98, 49, true};
    auto_result *here = ASK(s, .path = told(whole, "id"), .space = "view", .region = box);
    auto_result *there = ASK(same, .path = told(whole, "id"), .space = "view", .region = box);
    CHECK_STR(told(here, "region"), told(there, "region"));
    CHECK(image_of(here).scale[0] == image_of(there).scale[0] && image_of(here).offset[0] == image_of(there).offset[0]);
    CHECK_STR(told(here, "id"), told(there, "id"));
}

TEST(a_region_of_a_recorded_drawing_is_as_round_as_it_was_asked_for)
{
    if (!has_program("svg"))
        SKIP("fovea-svg is not built");
    auto_fovea *f = context(), *other = context();
    auto_session *s = session(f, (struct fovea_session_options){.name = "round"});
    auto_session *same = session(other, (struct fovea_session_options){.name = "round"});
    put("r.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"400\"><rect width=\"50\" height=\"50\"/></svg>");
    auto_result *whole = ASK(s, .path = "r.svg");
    auto_result *there = ASK(same, .path = told(whole, "id"), .space = "view", .region = {196, 343, 98, 49, true});
    CHECK_STR(told(there, "region"), "[100,175,50,25]");
}

TEST(a_recorded_markdown_keeps_its_images)
{
    if (!has_program("text"))
        SKIP("fovea-text is not built");
    auto_fovea *f = context(), *other = context();
    auto_session *s = session(f, (struct fovea_session_options){.name = "md"});
    auto_session *same = session(other, (struct fovea_session_options){.name = "md"});
    copy_file(fixture("png-rgb-8.png"), "pic.png");
    put("m.md", "# One\n\n![it](pic.png)\n");
    auto_result *first = ASK(s, .path = "m.md");
    put("m.md", "# Another\n");
    auto_result *changed = ASK(same, .path = told(first, "id"));
    CHECK_STR(told(changed, "id"), told(first, "id"));
    CHECK(same_bytes(first, changed));
    CHECK(unlink(in_top("m.md")) == 0);
    auto_result *gone = ASK(same, .path = told(first, "id"));
    CHECK(same_bytes(first, gone));
    CHECK(strstr(told(gone, "note"), "Shown from the record") != NULL);
}

/* With the worker taken away, what comes can only come from the cache. */
TEST(a_view_by_its_id_is_found_in_the_cache)
{
    made_tree();
    char worker[LIMIT_PATH_BYTES];
    CHECK(mkdir(in_top("workers"), 0700) == 0);
    (void)snprintf(worker, sizeof worker, "%s", in_top("workers/fovea-worker"));
    CHECK(symlink(built("fovea-worker"), worker) == 0);
    auto_fovea *f = context_with(in_top("workers"));
    copy_file(fixture("png-rgb-8.png"), "c.png");
    auto_result *first = SEE(f, .path = "c.png");
    CHECK(unlink(worker) == 0);
    auto_result *again = SEE(f, .path = told(first, "id"));
    CHECK(again && same_bytes(first, again));
}

/* ---------------------------------------------------------------- comparisons */

TEST(comparisons_with_different_parts_have_different_ids)
{
    auto_fovea *f = context();
    copy_file(fixture("gif-animated-3-frames.gif"), "d.gif");
    copy_file(fixture("png-rgb-8.png"), "d.png");
    auto_result *one = SEE(f, .path = "d.gif", .frame = 1), *three = SEE(f, .path = "d.gif", .frame = 3);
    auto_result *a = SEE(f, .path = "d.png", .against = told(one, "id")), *b = SEE(f, .path = "d.png", .against = told(three, "id"));
    CHECK(image_of(a).len && image_of(b).len);
    CHECK(strcmp(told(a, "id"), told(b, "id")) != 0);
}

TEST(a_comparison_is_made_again_by_its_id_while_both_files_are_as_they_were)
{
    auto_fovea *f = context();
    copy_file(fixture("png-rgb-8.png"), "x.png");
    copy_file(fixture("png-palette-8.png"), "y.png");
    auto_result *first = SEE(f, .path = "x.png", .against = "y.png");
    const char *id = told(first, "id");
    auto_result *again = SEE(f, .path = id);
    CHECK_STR(told(again, "id"), id);
    CHECK_STR(told(again, "note"), told(first, "note"));
    CHECK(same_bytes(first, again) && image_of(first).again);
    auto_result *twice = SEE(f, .path = id, .against = "y.png"), *of_it = SEE(f, .path = "x.png", .against = id);
    auto_result *in_it = SEE(f, .path = id, .space = "view", .region = {0, 0, 5, 5, true});
    auto_result *sheet = SEE(f, .path = id, .sheet = true);
    CHECK_STR(reason(twice), "invalid_input");
    CHECK_STR(reason(of_it), "invalid_input");
    CHECK_STR(reason(in_it), "invalid_input");
    CHECK_STR(reason(sheet), "invalid_input");
    copy_file(fixture("png-gray-8.png"), "y.png");
    auto_result *changed = SEE(f, .path = id);
    CHECK_STR(reason(changed), "absent");
}

/* A panel's corner, from the cells of the result. */
static struct fovea_box within_panel(const fovea_result *r, size_t panel, double x, double y, double w, double h)
{
    auto_free char *text = fovea_result_json_new(r, 0);
    json_t *o = json_loads(text, 0, NULL);
    const json_t *box = json_object_get(json_array_get(json_object_get(o, "cells"), panel), "box");
    struct fovea_box b = {json_number_value(json_array_get(box, 0)) + x, json_number_value(json_array_get(box, 1)) + y, w, h, true};
    json_decref(o);
    return b;
}

TEST(a_region_measured_in_one_picture_of_a_comparison_is_one_of_the_source)
{
    auto_fovea *f = context();
    copy_file(fixture("png-rgb-8.png"), "x.png");
    copy_file(fixture("png-palette-8.png"), "y.png");
    auto_result *both = SEE(f, .path = "x.png", .against = "y.png", .region = {10, 5, 40, 30, true});
    const char *id = told(both, "id");
    for (size_t i = 0; i < 3; i++) {
        auto_result *part = SEE(f, .path = "x.png", .view = id, .region = within_panel(both, i, 4, 6, 8, 7));
        CHECK_STR(told(part, "region"), "[14,11,8,7]");
        auto_result *again = SEE(f, .path = id, .space = "view", .region = within_panel(both, i, 4, 6, 8, 7));
        CHECK_STR(told(again, "region"), "[14,11,8,7]");
        CHECK(strstr(told(again, "note"), "against y.png"));
    }
    struct fovea_box wide = within_panel(both, 0, 0, 0, 1000, 1000); /* over two of them */
    auto_result *across = SEE(f, .path = "x.png", .view = id, .region = wide);
    CHECK_STR(reason(across), "invalid_input");
}

TEST(a_comparison_is_shown_only_where_both_files_are_in_reach)
{
    auto_fovea *f = context(), *other = context();
    const char *roots[] = {in_top("elsewhere"), NULL};
    auto_session *s = session(f, (struct fovea_session_options){.name = "pairs"});
    auto_session *same = session(other, (struct fovea_session_options){.name = "pairs"});
    auto_session *bare = session(f, (struct fovea_session_options){.roots = roots});
    auto_session *here = session(f, (struct fovea_session_options){.name = "pairs", .roots = roots});
    auto_session *there = session(other, (struct fovea_session_options){.name = "pairs", .roots = roots});
    fovea_session *narrow[] = {bare, here, there};
    copy_file(fixture("png-rgb-8.png"), "elsewhere/p.png");
    copy_file(fixture("png-palette-8.png"), "q.png");
    auto_result *first = ASK(s, .path = "elsewhere/p.png", .against = "q.png");
    auto_result *second = ASK(s, .path = "q.png", .against = "elsewhere/p.png");
    auto_result *part = ASK(same, .path = told(second, "id"), .region = {0, 0, 20, 20, true});
    CHECK_STR(told(part, "region"), "[0,0,20,20]"); /* of the file, compared again */
    const char *ids[] = {told(first, "id"), told(second, "id"), told(part, "id")};
    for (size_t i = 0; i < COUNT(ids); i++) {
        auto_result *again = ASK(same, .path = ids[i]);
        CHECK_MSG(fovea_result_kind(again) == FOVEA_PERCEPTION, "%zu: %s", i, fovea_result_text(again));
        for (size_t k = 0; k < COUNT(narrow); k++) {
            auto_result *r = ASK(narrow[k], .path = ids[i]);
            CHECK_MSG(!strcmp(reason(r), "absent") && !strstr(fovea_result_text(r), "png"), "%zu,%zu: %s", i, k, fovea_result_text(r));
        }
    }
}

/* With the files as they were, when they are others, and when they are gone; in the process that saw them and in another. */
TEST(a_comparison_by_its_id_is_the_same_with_a_record_and_without)
{
    auto_fovea *f = context(), *other = context();
    auto_session *s = session(f, (struct fovea_session_options){.name = "kept"});
    auto_session *same = session(other, (struct fovea_session_options){.name = "kept"});
    copy_file(fixture("png-rgb-8.png"), "k.png");
    copy_file(fixture("png-palette-8.png"), "l.png");
    auto_result *bare = SEE(f, .path = "k.png", .against = "l.png"), *first = ASK(s, .path = "k.png", .against = "l.png");
    const char *id = told(first, "id");
    fovea_session *both[] = {s, same};
    CHECK_STR(told(bare, "id"), id);
    for (int state = 0; state < 3; state++) {
        if (state == 1) {
            copy_file(fixture("png-gray-8.png"), "k.png");
            copy_file(fixture("png-gray-8.png"), "l.png");
        }
        if (state == 2)
            CHECK(unlink(in_top("k.png")) == 0 && unlink(in_top("l.png")) == 0);
        for (size_t i = 0; i < COUNT(both); i++) {
            auto_result *again = ASK(both[i], .path = id);
            CHECK_STR(told(again, "id"), id);
            CHECK_STR(told(again, "path"), told(first, "path"));
            CHECK_STR(told(again, "source"), told(first, "source"));
            CHECK_STR(told(again, "cells"), told(first, "cells"));
            CHECK_STR(told(again, "difference"), told(first, "difference"));
            CHECK(!strncmp(told(again, "note"), told(first, "note"), strlen(told(first, "note"))));
            CHECK(!!strstr(told(again, "note"), "from the record") == (state > 0));
            CHECK(same_bytes(first, again) && image_of(again).again);
            auto_result *part = ASK(both[i], .path = id, .region = {5, 5, 20, 10, true});
            CHECK_STR(told(part, "region"), "[5,5,20,10]");
            auto_result *in_it = ASK(both[i], .path = id, .space = "view", .region = within_panel(first, 1, 5, 5, 20, 10));
            CHECK_STR(told(in_it, "difference"), told(part, "difference"));
            auto_result *twice = ASK(both[i], .path = id, .against = "k.png");
            CHECK_STR(reason(twice), "invalid_input");
        }
    }
}

TEST(a_comparison_of_equal_pictures_resolves_by_its_id)
{
    auto_fovea *f = context(), *other = context();
    auto_session *s = session(f, (struct fovea_session_options){.name = "equal"});
    auto_session *same = session(other, (struct fovea_session_options){.name = "equal"});
    copy_file(fixture("png-rgb-8.png"), "e.png");
    auto_result *first = ASK(s, .path = "e.png", .against = "e.png");
    fovea_session *both[] = {s, same, NULL};
    for (size_t i = 0; i < COUNT(both); i++) {
        auto_result *again = both[i] ? ASK(both[i], .path = told(first, "id")) : SEE(f, .path = told(first, "id"));
        CHECK_STR(told(again, "id"), told(first, "id"));
        CHECK_STR(told(again, "note"), told(first, "note"));
    }
}

TEST(what_was_compared_with_is_recalled_with_its_part)
{
    auto_fovea *f = context(), *other = context();
    auto_session *s = session(f, (struct fovea_session_options){.name = "parts"});
    auto_session *same = session(other, (struct fovea_session_options){.name = "parts"});
    copy_file(fixture("gif-animated-3-frames.gif"), "g.gif");
    copy_file(fixture("png-rgb-8.png"), "g.png");
    auto_result *third = ASK(s, .path = "g.gif", .frame = 3);
    auto_result *a = ASK(s, .path = "g.png", .against = told(third, "id"));
    copy_file(fixture("png-gray-8.png"), "g.png");
    CHECK(unlink(in_top("g.gif")) == 0);
    auto_result *again = ASK(same, .path = told(a, "id"));
    CHECK_STR(told(again, "id"), told(a, "id"));
    CHECK_STR(told(again, "difference"), told(a, "difference"));
    CHECK(same_bytes(a, again) && strstr(told(again, "note"), "frame 3"));
}

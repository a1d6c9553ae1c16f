/* SPDX-License-Identifier: Apache-2.0 */
/* What a program that embeds the library lets be drawn: nothing unless it says so, and a session only less of it. Pictures need no
 * leave. */
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "built.h"
#include "comma.h"
#include "fovea.h"
#include "handles.h"

/* A context that has nothing in reach: what is seen is given as bytes. */
static fovea *context(unsigned render)
{
    const char *reach[] = {"/usr/share/fonts", NULL};
    struct fovea_fault fault = {0};
    struct fovea_options o = {.cwd = "/", .reach = reach, .config_file = "", .worker_dir = build_folder(), .render = render};
    fovea *f = NULL;
    CHECK_MSG(fovea_new(&o, &f, &fault) == 0, "%s", fault.text);
    return f;
}

static const struct {
    unsigned bit;
    const char *name, *bytes;
} drawn[] = {
    {FOVEA_RENDER_SVG, "a.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><rect width=\"9\" height=\"9\"/></svg>"},
    {FOVEA_RENDER_TEXT, "a.c", "int main(void);\n"},
    {FOVEA_RENDER_TEXT, "a.md", "# words\n"},
    {FOVEA_RENDER_PDF, "a.pdf", "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
                                "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"},
};

/* Whether it was refused for want of leave; through the session where there is one. */
static bool denied(fovea *f, fovea_session *s, size_t i)
{
    struct fovea_view_request q = {.path = drawn[i].name, .data = drawn[i].bytes, .data_len = strlen(drawn[i].bytes)};
    struct fovea_fault fault = {0};
    auto_result *r = NULL;
    int e = s ? fovea_session_ask(s, "view", &q, NULL, &r, &fault) : fovea_view(f, &q, &r, &fault);
    CHECK_MSG(e == 0, "%s: %s", drawn[i].name, fault.text);
    bool no = r && fovea_result_kind(r) == FOVEA_REFUSAL && !strcmp(fovea_result_reason(r), "render_not_allowed");
    CHECK_MSG(no || (r && fovea_result_kind(r) == FOVEA_PERCEPTION), "%s: %s", drawn[i].name, r ? fovea_result_text(r) : "");
    return no;
}

TEST(nothing_is_drawn_unless_the_program_says_so)
{
    auto_fovea *f = context(0);
    for (size_t i = 0; i < COUNT(drawn); i++)
        CHECK_MSG(denied(f, NULL, i), "%s", drawn[i].name);
}

TEST(only_the_kinds_that_the_program_names_are_drawn)
{
    static const unsigned bits[] = {FOVEA_RENDER_SVG, FOVEA_RENDER_TEXT, FOVEA_RENDER_PDF};
    for (size_t b = 0; b < COUNT(bits); b++) {
        auto_fovea *f = context(bits[b]);
        for (size_t i = 0; i < COUNT(drawn); i++)
            CHECK_MSG(denied(f, NULL, i) == !(drawn[i].bit & bits[b]), "%s with %u", drawn[i].name, bits[b]);
    }
}

TEST(a_session_may_draw_less_than_its_context)
{
    auto_fovea *f = context(FOVEA_RENDER_ALL);
    struct fovea_fault fault = {0};
    for (unsigned no = 0; no <= FOVEA_RENDER_ALL; no += 3) {
        auto_session *s = NULL;
        CHECK(fovea_session_new(f, &(struct fovea_session_options){.no_render = no}, &s, &fault) == 0);
        for (size_t i = 0; i < COUNT(drawn); i++)
            CHECK_MSG(denied(f, s, i) == !!(drawn[i].bit & no), "%s without %u", drawn[i].name, no);
    }
}

TEST(a_session_may_not_draw_more_than_its_context)
{
    auto_fovea *f = context(FOVEA_RENDER_TEXT);
    auto_session *s = NULL;
    struct fovea_fault fault = {0};
    CHECK(fovea_session_new(f, &(struct fovea_session_options){.no_render = 0}, &s, &fault) == 0);
    for (size_t i = 0; i < COUNT(drawn); i++)
        CHECK(denied(f, s, i) == (drawn[i].bit != FOVEA_RENDER_TEXT));
}

TEST(pictures_need_no_leave)
{
    auto_fovea *f = context(0);
    static const char gif[] = "GIF87a\1\0\1\0\200\0\0\0\0\377\377\377\377,\0\0\0\0\1\0\1\0\0\2\2D\1\0;";
    struct fovea_view_request q = {.path = "a.gif", .data = gif, .data_len = sizeof gif - 1};
    struct fovea_fault fault = {0};
    auto_result *r = NULL;
    CHECK_MSG(fovea_view(f, &q, &r, &fault) == 0, "%s", fault.text);
    CHECK_MSG(r && fovea_result_kind(r) == FOVEA_PERCEPTION, "%s", r ? fovea_result_text(r) : "");
}

/* All that is said of it, its id and its place too. */
static char *said_of(fovea *f)
{
    struct fovea_view_request q = {.path = drawn[0].name, .data = drawn[0].bytes, .data_len = strlen(drawn[0].bytes),
                                   .region = {0.5, 0.25, 3.125, 4.75, true}};
    struct fovea_fault fault = {0};
    auto_result *r = NULL;
    CHECK_MSG(fovea_view(f, &q, &r, &fault) == 0, "%s", fault.text);
    return r ? fovea_result_json_new(r, 0) : NULL;
}

TEST(a_view_has_the_same_id_where_the_locale_writes_a_comma)
{
    auto_fovea *f = context(FOVEA_RENDER_SVG);
    auto_free char *plain = said_of(f);
    bool made = comma_on();
    auto_free char *comma = said_of(f);
    comma_off();
    CHECK_STR(comma, plain);
    if (!made)
        SKIP("no locale with a comma can be made here (localedef)");
}

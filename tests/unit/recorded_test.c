/* SPDX-License-Identifier: Apache-2.0 */
/* What the record tells of a view is not believed beyond what can be: entries of older versions are understood, and one that does not
 * say it right shows nothing. Entries are taken from a session, altered, and put into another one; the file itself is gone. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/context.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "built.h"
#include "fovea.h"
#include "handles.h"
#include "record/record.h"
#include "test.h"
#include "top.h"

static fovea *context(void)
{
    struct fovea_fault fault = {0};
    fovea *f = NULL;
    (void)top_is_home();
    const char *reach[] = {top, NULL};
    struct fovea_options o = {.cwd = top, .reach = reach, .config_file = "", .worker_dir = build_folder(), .render = FOVEA_RENDER_ALL};
    CHECK_MSG(fovea_new(&o, &f, &fault) == 0, "%s", fault.text);
    return f;
}

static fovea_session *session(fovea *f, const char *name)
{
    fovea_session *s = NULL;
    struct fovea_fault fault = {0};
    CHECK_MSG(fovea_session_new(f, &(struct fovea_session_options){.name = name}, &s, &fault) == 0, "%s", fault.text);
    return s;
}

static fovea_result *see(fovea_session *s, const char *path)
{
    fovea_result *r = NULL;
    struct fovea_fault fault = {0};
    CHECK_MSG(fovea_session_ask(s, "view", &(struct fovea_view_request){.path = path}, NULL, &r, &fault) == 0, "%s: %s", path, fault.text);
    return r;
}

static int gather(void *arg, int64_t seq, const char *json, size_t len)
{
    (void)seq;
    return buf_add(arg, json, len);
}

/* A file with that text, or of that fixture, is seen in a session and taken away; its entry, and the name of the view. */
static void record_one(const char *session_name, const char *file, const char *source, struct buf *ret, char id[32])
{
    auto_fovea *f = context();
    auto_session *s = session(f, session_name);
    if (*source == '<')
        put(file, source);
    else
        copy_file(fixture(source), file);
    auto_result *r = see(s, in_top(file));
    struct fovea_image m = {0};
    CHECK_MSG(fovea_result_image(r, &m) == 0, "%s", fovea_result_text(r));
    (void)snprintf(id, 32, "%s", m.id ? m.id : "");
    CHECK(fovea_session_entries(s, 0, gather, ret, NULL) == 0 && unlink(in_top(file)) == 0);
}

/* The entry with one thing otherwise, in a session of its own; "" for what was: as it is. */
static void put_altered(fovea *f, const char *name, const struct buf *entry, const char *was, const char *is)
{
    struct fovea_fault fault = {0};
    struct record_appended done;
    auto_buf b = BUF_INIT(MIB);
    const char *result = strstr(entry->data, "\"result\""), *at = strstr(result, was);
    CHECK_MSG(at, "%s is not in %s", was, entry->data);
    at = at ? at : result;
    (void)buf_add(&b, entry->data, (size_t)(at - entry->data));
    (void)buf_add_str(&b, is);
    (void)buf_add_str(&b, at + strlen(was));
    struct record_new new = {b.data, b.len};
    CHECK_MSG(record_append(f->record, &(struct record_append){.session = name, .entries = &new, .count = 1, .after = -1}, &done, &fault) == 0,
              "%s: %s", is, fault.text);
}

struct row {
    const char *was, *is;
    bool shown;
};

static void check_rows(const char *file, const char *source, const struct row *rows, size_t n)
{
    char id[32];
    auto_buf entry = BUF_INIT(MIB);
    record_one(file, file, source, &entry, id);
    for (size_t i = 0; i < n; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s-%zu", file, i);
        auto_fovea *f = context(); /* which has not seen it */
        put_altered(f, name, &entry, rows[i].was, rows[i].is);
        auto_session *s = session(f, name);
        auto_result *r = see(s, id);
        CHECK_MSG(r && (fovea_result_kind(r) == FOVEA_PERCEPTION) == rows[i].shown, "%s row %zu, %s: %s", file, i, rows[i].is,
                  r ? fovea_result_text(r) : "");
    }
}

#define SHA "\"sha256\":\"e"
#define OTHER "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
static const struct row gif[] = {
    {"", "", true},
    {"\"again\":{", "\"later\":{", true}, /* of an older version: all of it */
    {"\"width\":67", "\"width\":0", false},
    {"\"height\":41", "\"height\":0", false},
    {"\"width\":67", "\"width\":99999999999", false},
    {"\"width\":67", "\"width\":\"67\"", false},
    {"[0.0,0.0,67.0,41.0]", "[0,0,0,41]", false},
    {"[0.0,0.0,67.0,41.0]", "[0,0,67,-41]", false},
    {"[0.0,0.0,67.0,41.0]", "[0,0]", false},
    {"\"id\":\"view:", "\"id\":\"view;", false},
    {"\"id\":\"view:", "\"is\":\"view:", false},
    {SHA, "\"sha256\":\"z", false},
    {"\"page\":null", "\"page\":\"x\"", true},
    {"\"page\":null", "\"page\":\"1-2\"", false}, /* its pages would be tiles */
    {"\"frame\":null", "\"frame\":2", true},
    {"\"frame\":null", "\"frame\":-2", true},
    {"\"frame\":null", "\"frame\":99", false},
    {"\"frame\":null", "\"frame\":null,\"time\":1.5", false}, /* it is no video */
    {"\"frame\":null", "\"frame\":null,\"time\":1e12", true}, /* nothing lasts so long */
    {"\"frame\":null", "\"frame\":null,\"cells\":[]", true},
    {"/a.gif\",\"media_type\"", "/x/../a.gif\",\"media_type\"", false},
    {"/a.gif\",\"media_type\"", "/x/./a.gif\",\"media_type\"", false},
    {"\"path\":\"/", "\"path\":\"", false},
    {"\"path\":\"/", "\"path\":\"/elsewhere/", false},
    {"\"path\":\"/", "\"path\":null,\"was\":\"/", true}, /* by its bytes alone */
    {"\"path\":\"/", "\"path\":null,\"ref\":\"https://127.0.0.1/a.gif\",\"was\":\"/", true},
    {"\"again\":{", "\"against\":{},\"again\":{", false},
    {"\"again\":{", "\"against\":{\"path\":\"/b.gif\"},\"again\":{", false}, /* of which no hash is known */
    {"\"again\":{", "\"against\":{\"not_stored\":\"" OTHER "\"},\"again\":{", false}, /* nobody has it */
    {"\"again\":{", "\"against\":{\"path\":\"/elsewhere/b.gif\",\"not_stored\":\"" OTHER "\"},\"again\":{", false},
    {"\"note\":\"", "\"difference\":{},\"note\":\"", false}, /* against what, it does not say */
    {"\"again\":{", "\"again\":{\"limits\":[1,2,3],\"tile\":false,", true},
};

TEST(a_recorded_view_is_shown_again_only_where_the_entry_says_it_right)
{
    check_rows("a.gif", "gif-animated-3-frames.gif", gif, COUNT(gif));
}

static const struct row svg[] = {
    {"", "", true},
    {"\"again\":{", "\"later\":{", true}, /* its size is what the scale tells */
    {"\"again\":{\"crop\":", "\"region\":[1,1,9,9],\"later\":{\"crop\":", true},
    {"\"again\":{\"crop\":", "\"region\":[1,1,0,9],\"later\":{\"crop\":", false},
};

TEST(a_recorded_drawing_of_an_older_version_is_as_large_as_its_scale_says)
{
    if (!has_program("svg"))
        SKIP("fovea-svg is not built");
    check_rows("a.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'><rect width='20' height='30'/></svg>", svg, COUNT(svg));
}

TEST(what_is_no_name_of_a_view_is_none)
{
    static const char *const names[] = {"view:", "view:123", "view:0123456789abc", "view:zzzzzzzzzzzz"};
    auto_fovea *f = context();
    auto_session *named = session(f, "names"), *nameless = NULL;
    CHECK(fovea_session_new(f, &(struct fovea_session_options){0}, &nameless, NULL) == 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        auto_result *r = see(named, names[i]), *q = see(nameless, names[i]);
        CHECK_STR(fovea_result_reason(r), "absent");
        CHECK_STR(fovea_result_text(q), fovea_result_text(r));
    }
}

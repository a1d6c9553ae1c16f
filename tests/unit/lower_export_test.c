/* SPDX-License-Identifier: Apache-2.0 */
/* What is imported from a wire comes out of export to that wire as it was, for every block type that its vendor has. */
#include "test.h"

#include "lowering.h"

static bool import(const char *wire, const json_t *root, struct incoming *in, struct session *s)
{
    struct fovea_fault fault = {0};
    size_t i;
    json_t *entry;
    in->max_blob = 20 * MIB;
    if (incoming_request(in, wire, root, &fault) < 0) {
        CHECK_MSG(false, "%s", fault.text);
        return false;
    }
    json_array_foreach(in->entries, i, entry) {
        size_t len;
        char *body = entry_text_new(entry, &len);
        CHECK(body);
        session_add(s, body, len);
    }
    s->in = in;
    return true;
}

static json_t *list_of(json_t *root)
{
    static const char *const names[] = {"messages", "input", "contents"};
    json_t *list = json_is_array(root) ? root : NULL;
    for (size_t i = 0; i < COUNT(names) && !list; i++)
        list = json_object_get(root, names[i]);
    return list;
}

static void compare(const char *name, const char *text, json_t *want)
{
    json_error_t error;
    size_t i;
    json_t *got = json_loads(text, JSON_DECODE_ANY, &error), *one;
    CHECK_MSG(got, "%s: no JSON: %s", name, error.text);
    CHECK_MSG(json_array_size(got) == json_array_size(want), "%s: %zu messages, not %zu", name, json_array_size(got),
              json_array_size(want));
    json_array_foreach(want, i, one) {
        if (json_equal(one, json_array_get(got, i)))
            continue;
        char *a = json_dumps(one, JSON_COMPACT), *b = json_dumps(json_array_get(got, i), JSON_COMPACT | JSON_ENCODE_ANY);
        CHECK_MSG(false, "%s: message %zu\n was %.600s\n now %.600s", name, i, a, b ? b : "nothing");
        free(a);
        free(b);
    }
    json_decref(got);
}

/* Export must be as it was; lowering the same must be JSON and never fail. */
static void check_file(int wire, const char *path)
{
    json_error_t error;
    struct incoming in = {0};
    struct session s = {0};
    struct run r;
    json_t *root = json_load_file(path, 0, &error);
    CHECK_MSG(root, "%s: %s", path, error.text);
    if (root && json_is_array(list_of(root)) && import(lower_wire_names[wire], root, &in, &s)) {
        for (int to = 0; to < LOWER_WIRES; to++) {
            struct target t = target_of(to);
            for (int as_is = 0; as_is < 2; as_is++) {
                CHECK(lower_all(&s, &t, NULL, as_is, &r) == 0);
                json_t *any = json_loads(r.out.data, 0, &error);
                CHECK_MSG(any, "%s to %s: %s", path, lower_wire_names[to], error.text);
                json_decref(any);
                if (as_is && to == wire)
                    compare(path, r.out.data, list_of(root));
                run_done(&r);
            }
        }
    }
    json_decref(root);
    incoming_done(&in);
    session_done(&s);
}

TEST(export_gives_back_what_was_imported)
{
    size_t files = 0;
    for (int wire = 0; wire < LOWER_WIRES; wire++) {
        char folder[300], path[600];
        (void)snprintf(folder, sizeof folder, "tests/cases/transcript/%s", lower_wire_names[wire]);
        DIR *d = opendir(folder);
        for (struct dirent *f; d && (f = readdir(d));) {
            if (f->d_name[0] == '.')
                continue;
            (void)snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
            check_file(wire, path);
            files++;
        }
        if (d)
            (void)closedir(d);
    }
    CHECK_MSG(files > 40, "%zu cases", files);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What is imported from a wire comes out of export to that wire as it was, for every block type that its vendor has. */
#include "test.h"

#include "lowering.h"

static int look(void *arg, const struct incoming_blob *blob, struct incoming_picture *ret, struct fovea_fault *fault)
{
    (void)arg;
    (void)blob;
    (void)fault;
    *ret = (struct incoming_picture){.media_type = "image/png", .width = 2, .height = 2};
    return 0;
}

/* False: it is no request, or cannot be taken. */
static bool import(const char *wire, const json_t *root, struct incoming *in, struct session *s)
{
    struct fovea_fault fault = {0};
    size_t i;
    json_t *entry;
    in->max_blob = 20 * MIB;
    if (incoming_request(in, wire, root, &fault) < 0 || incoming_pictures(in, look, NULL, &fault) < 0)
        return false;
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
    if (root && json_is_array(list_of(root))) {
        CHECK_MSG(import(lower_wire_names[wire], root, &in, &s), "%s is not taken", path);
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

static void each_file(int wire, void (*tell)(int wire, const char *path))
{
    char folder[300], path[600];
    (void)snprintf(folder, sizeof folder, "tests/cases/transcript/%s", lower_wire_names[wire]);
    struct dirent **found = NULL;
    int n = scandir(folder, &found, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, found[i]->d_name);
        if (found[i]->d_name[0] != '.')
            tell(wire, path);
        free(found[i]);
    }
    free(found);
}

static size_t files;

static void check_one(int wire, const char *path)
{
    files++;
    check_file(wire, path);
}

TEST(export_gives_back_what_was_imported)
{
    for (int wire = 0; wire < LOWER_WIRES; wire++)
        each_file(wire, check_one);
    CHECK_MSG(files > 40, "%zu cases", files);
}

/* ---------------------------------------------------------------- at random */

static uint64_t dice = 1;

static size_t roll(size_t sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(dice >> 33) % sides;
}

enum { ROUNDS = 1500 };
static json_t *pool;

static void add_messages(int wire, const char *path)
{
    json_t *root = json_load_file(path, 0, NULL);
    (void)wire;
    (void)json_array_extend(pool, list_of(root));
    json_decref(root);
}

static json_t *odd_value(void)
{
    static const char *const values[] = {"null", "\"\"", "\"words\"", "[]", "{}", "7", "true", "[{\"type\":\"text\",\"text\":\"x\"}]",
                                         "\"\\u0001data\""};
    return json_loads(values[roll(COUNT(values))], JSON_DECODE_ANY, NULL);
}

/* Changes, adds or takes away something somewhere within. */
static void disturb(json_t *value)
{
    static const char *const more[] = {"cache_control", "extra", "id", "name", "content", "role", "type", "parts", "text"};
    const char *key = NULL;
    size_t n = json_object_size(value) ? roll(json_object_size(value)) : 0, i = 0;
    for (void *at = json_object_iter(value); at; at = json_object_iter_next(value, at))
        key = i++ == n ? json_object_iter_key(at) : key;
    json_t *inner = json_is_array(value) && json_array_size(value) ? json_array_get(value, roll(json_array_size(value)))
                                                                   : key ? json_object_get(value, key) : NULL;
    if (inner && (json_is_object(inner) || json_is_array(inner)) && roll(5))
        disturb(inner);
    else if (json_is_array(value))
        (void)(roll(2) ? json_array_append_new(value, odd_value()) : json_array_append(value, json_array_get(value, 0)));
    else if (key && roll(3) == 0)
        (void)json_object_del(value, key);
    else if (json_is_object(value))
        (void)json_object_set_new(value, key && roll(2) ? key : more[roll(COUNT(more))], odd_value());
}

static bool export_one(int wire, json_t *list)
{
    struct incoming in = {0};
    struct session s = {0};
    struct run r;
    bool taken = import(lower_wire_names[wire], list, &in, &s);
    for (int to = 0; to < LOWER_WIRES && taken; to++) {
        struct target t = target_of(to);
        for (int as_is = to != wire; as_is < 2; as_is++) {
            CHECK(lower_all(&s, &t, NULL, as_is || to != wire, &r) == 0);
            json_t *any = json_loads(r.out.data, 0, NULL);
            CHECK_MSG(any, "to %s: %s", lower_wire_names[to], r.out.data);
            json_decref(any);
            if (as_is && to == wire)
                compare(lower_wire_names[wire], r.out.data, list);
            run_done(&r);
        }
    }
    incoming_done(&in);
    session_done(&s);
    return taken;
}

TEST(whatever_is_taken_at_random_is_exported_as_it_was)
{
    for (int wire = 0; wire < LOWER_WIRES; wire++) {
        size_t taken = 0;
        pool = json_array();
        each_file(wire, add_messages);
        for (size_t round = 0; round < ROUNDS && !test_failed; round++) {
            json_t *list = json_array();
            for (size_t n = 1 + roll(6); n; n--) {
                json_t *m = json_deep_copy(json_array_get(pool, roll(json_array_size(pool))));
                for (size_t k = roll(3); k; k--)
                    disturb(m);
                (void)json_array_append_new(list, m);
            }
            taken += export_one(wire, list);
            json_decref(list);
        }
        CHECK_MSG(taken > 300 || test_failed, "%s: only %zu were taken", lower_wire_names[wire], taken);
        json_decref(pool);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request of each wire, taken into the record: refused in words, or kept so that its export is the request as it was, twice the same,
 * and lowered to every other wire it is JSON; what stands around the messages too. The first byte says which wire.
 * about: src/transcript/import_anthropic.c src/transcript/import_chat.c src/transcript/import_responses.c src/transcript/import_gemini.c
 *   src/transcript/build.c src/transcript/payload.c src/transcript/pictures.c src/lower/writer.c src/lower/write_anthropic.c src/lower/write_chat.c
 *   src/lower/write_responses.c src/lower/write_gemini.c src/lower/put.c src/lower/group.c src/lower/shown.c src/lower/envelope.c
 * keep: 131072
 */
#include "fuzz.h"

#include "lowering.h"

static int look(void *arg, const struct incoming_blob *blob, struct incoming_picture *ret, struct fovea_fault *fault)
{
    (void)arg;
    (void)blob;
    (void)fault;
    *ret = (struct incoming_picture){.media_type = "image/png", .width = 2, .height = 2};
    return 0;
}

static int import(int wire, const json_t *root, struct incoming *in, struct session *s)
{
    struct fovea_fault fault = {0};
    size_t i;
    json_t *entry;
    in->max_blob = 1 * MIB;
    int r = incoming_request(in, lower_wire_names[wire], root, &fault);
    CLAIM(r == 0 || (fault.code < 0 && fault.text[0]));
    if (r < 0 || incoming_pictures(in, look, NULL, &fault) < 0)
        return -1;
    json_array_foreach(in->entries, i, entry) {
        size_t len;
        char *body = entry_text_new(entry, &len);
        CLAIM(body);
        session_add(s, body, len);
    }
    s->in = in;
    return 0;
}

static json_t *list_of(json_t *root)
{
    static const char *const names[] = {"messages", "input", "contents"};
    json_t *list = json_is_array(root) ? root : NULL;
    for (size_t i = 0; i < COUNT(names) && !list; i++)
        list = json_object_get(root, names[i]);
    return list;
}

static void claim_equal(const json_t *want, const char *text, size_t len)
{
    json_t *got = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (!json_equal(got, want)) {
        auto_free char *a = json_dumps(want, JSON_COMPACT | JSON_ENCODE_ANY);
        (void)fprintf(stderr, "was %s\nnow %.*s\n", a, (int)len, text);
    }
    CLAIM(json_equal(got, want));
    json_decref(got);
}

static void check_lowered(int wire, const struct session *s, const json_t *want)
{
    struct run r;
    for (int to = 0; to < LOWER_WIRES; to++)
        for (int as_is = 0; as_is < 2; as_is++) {
            struct target t = target_of(to);
            CLAIM(lower_all(s, &t, NULL, as_is, &r) == 0);
            if (as_is && to == wire) {
                claim_equal(want, r.out.data, r.out.len);
            } else {
                json_t *any = json_loadb(r.out.data, r.out.len, JSON_ALLOW_NUL, NULL);
                CLAIM(json_is_array(any));
                json_decref(any);
            }
            run_done(&r);
        }
}

/* ---------------------------------------------------------------- what stands around them */

enum { MOST_SYSTEMS = 16 };

/* The request itself, and the system entries that the conversation begins with. */
static void around_of(const struct session *s, struct entry_room *room, struct entry *request, struct span *systems, struct envelope *ret)
{
    bool first = true;
    for (size_t i = 0; i < s->n; i++) {
        struct entry e;
        CLAIM(entry_read(s->bodies[i], s->lens[i], (int64_t)i + 1, room, &e) == 0);
        if (e.kind == ENTRY_REQUEST) {
            CLAIM(entry_read(s->bodies[i], s->lens[i], (int64_t)i + 1, &room[1], request) == 0);
            ret->request = request;
        } else if (e.kind == ENTRY_SYSTEM && first && ret->n_systems < MOST_SYSTEMS) {
            systems[ret->n_systems++] = (struct span){s->bodies[i], s->lens[i]};
        } else {
            first = false;
        }
    }
    ret->systems = systems;
}

/* No member twice, the list in its place, and where it is the request as it was, all of that. */
static void check_around(const struct envelope *e, const json_t *want)
{
    static const char *const lists[LOWER_WIRES] = {"messages", "messages", "input", "contents"};
    auto_buf b = BUF_INIT(8 * MIB);
    const char *list = lists[e->target->wire];
    CLAIM(envelope_head(e, &b) == 0 && buf_add_str(&b, "[]") == 0 && envelope_tail(&b) == 0);
    json_t *whole = json_loadb(b.data, b.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL), *body = json_object_get(whole, "body");
    if (!whole)
        (void)fprintf(stderr, "%.*s\n", (int)b.len, b.data);
    CLAIM(json_is_object(json_object_get(whole, "headers")) && json_is_object(body));
    CLAIM(json_is_array(json_object_get(body, list)) && !json_array_size(json_object_get(body, list)));
    if (want) {
        json_t *copy = json_copy((json_t *)(uintptr_t)want);
        CLAIM(json_object_set_new(copy, list, json_array()) == 0 && json_equal(copy, body));
        json_decref(copy);
    }
    json_decref(whole);
}

static void check_envelope(int wire, const struct session *s, const json_t *root, unsigned how)
{
    struct entry_room room[2] = {{0}, {0}};
    struct entry request = {0};
    struct span systems[MOST_SYSTEMS];
    struct envelope e = {0};
    around_of(s, room, &request, systems, &e);
    for (int to = 0; to < LOWER_WIRES; to++) {
        struct target t = target_of(to);
        t.adaptive_thinking = how & 1;
        t.cache.known = how & 2;
        e.target = &t;
        e.as_is = false;
        check_around(&e, NULL);
        e.as_is = true;
        check_around(&e, to == wire && e.request && json_is_object(root) && json_is_array(list_of((json_t *)(uintptr_t)root)) ? root : NULL);
    }
    entry_room_done(&room[0]);
    entry_room_done(&room[1]);
}

/* Under the usual policy too, whatever it makes of the pictures. */
static void check_replayed(int wire, const struct session *s)
{
    struct target t = target_of(wire);
    struct run r;
    struct replay *replay = replay_all(s, &t, "turns:1");
    CLAIM(replay);
    CLAIM(lower_all(s, &t, replay, false, &r) == 0);
    json_t *any = json_loadb(r.out.data, r.out.len, JSON_ALLOW_NUL, NULL);
    CLAIM(json_is_array(any));
    json_decref(any);
    run_done(&r);
    replay_free(replay);
}

static void claim_twice(int wire, const json_t *root, const struct session *s)
{
    struct incoming in = {0};
    struct session again = {0};
    CLAIM(import(wire, root, &in, &again) == 0 && again.n == s->n);
    for (size_t i = 0; i < s->n; i++)
        CLAIM(again.lens[i] == s->lens[i] && !memcmp(again.bodies[i], s->bodies[i], s->lens[i]));
    session_done(&again);
    incoming_done(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    int wire = feed_u8(&f) % LOWER_WIRES;
    json_t *root = json_loadb((const char *)f.at, f.left, JSON_ALLOW_NUL, NULL);
    struct incoming in = {0};
    struct session s = {0};
    if (root && import(wire, root, &in, &s) == 0) {
        claim_twice(wire, root, &s);
        if (json_is_array(list_of(root)))
            check_lowered(wire, &s, list_of(root));
        check_replayed(wire, &s);
        check_envelope(wire, &s, root, (unsigned)len);
    }
    session_done(&s);
    incoming_done(&in);
    json_decref(root);
    return 0;
}

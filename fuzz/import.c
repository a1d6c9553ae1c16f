/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request of each wire, taken into the record: refused in words, or kept so that its export is the request as it was, twice the same,
 * and lowered to every other wire it is JSON. The first byte says which wire.
 * about: src/transcript/import_anthropic.c src/transcript/import_chat.c src/transcript/import_responses.c src/transcript/import_gemini.c
 *   src/transcript/build.c src/transcript/payload.c src/transcript/pictures.c src/lower/writer.c src/lower/write_anthropic.c src/lower/write_chat.c
 *   src/lower/write_responses.c src/lower/write_gemini.c src/lower/put.c src/lower/group.c src/lower/shown.c
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
    }
    session_done(&s);
    incoming_done(&in);
    json_decref(root);
    return 0;
}

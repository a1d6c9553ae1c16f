/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random conversations, the odd ones too: calls without results, results twice or for no call, users who speak while a tool runs,
 * blank texts, thoughts of all vendors. Lowered for every wire they must keep that vendor's rules, which are checked here from
 * the JSON alone; and writing on from any boundary must give the bytes that writing all of it gives.
 */
#include "test.h"

#include <time.h>

#include "lowering.h"

/* ---------------------------------------------------------------- conversations */

static uint64_t dice;

static unsigned roll(unsigned sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(dice >> 33) % sides;
}

struct making {
    struct session s;
    char open[64][24];
    size_t n_open;
    unsigned calls, pictures;
    bool again;       /* ids are used again */
    const char *wire; /* that the entry at hand came from; "" none */
};

static bool from(const struct making *m, enum lower_wire wire)
{
    return !strcmp(m->wire, lower_wire_names[wire]);
}

static void add_text(struct buf *b)
{
    static const char *const texts[] = {"hello", "", " \\n\\t", "a \\\"quoted\\\" line\\nand \\u00e9", "\xc3\xa9\xe2\x82\xac", "cache_control"};
    (void)buf_add_format(b, "{\"type\":\"text\",\"text\":\"%s\"}", texts[roll(COUNT(texts))]);
}

static void add_picture(struct making *m, struct buf *b)
{
    static const char *const types[] = {"image\",\"media_type\":\"image/png", "document\",\"media_type\":\"application/pdf",
                                        "image\",\"media_type\":\"image/webp"};
    unsigned n = ++m->pictures, odd = roll(12);
    if (odd == 0)
        (void)buf_add_str(b, "{\"type\":\"image\",\"url\":\"https://e.com/a.png\"}");
    else if (odd == 1)
        (void)buf_add_str(b, "{\"type\":\"document\",\"file_id\":\"file_1\"}");
    else
        (void)buf_add_format(b, "{\"type\":\"%s\",\"sha256\":\"%02x%062x\",\"bytes\":32,\"width\":%u,\"height\":600%s%s}",
                             types[roll(8) < 6 ? 0 : roll(3)], roll(20) ? 1 : 0xad, n, 100 + roll(3000),
                             roll(2) ? ",\"view\":\"view:q1\"" : "", roll(20) ? "" : ",\"broken\":\"cut\"");
}

static void add_opaque(struct buf *b)
{
    static const char *const values[] = {
        "\"anthropic\",\"thinking\":true,\"value\":{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"s\"}",
        "\"openai-responses\",\"thinking\":true,\"value\":{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}",
        "\"gemini\",\"thinking\":true,\"value\":{\"text\":\"t\",\"thought\":true}",
        "\"elsewhere\",\"value\":{\"x\":1},\"text\":\"words\"",
        "\"elsewhere\",\"value\":{\"x\":1}",
        "\"openai-chat\",\"value\":{\"type\":\"refusal\",\"refusal\":\"no\"}",
        "\"anthropic\",\"value\":{\"type\":\"NEVER\"},\"broken\":\"no base64\"",
        "\"gemini\",\"value\":{\"type\":\"NEVER\"},\"broken\":\"no base64\",\"text\":\"a picture was here\"",
        "\"openai-chat\",\"value\":{\"type\":\"NEVER\"},\"broken\":\"empty\"",
        "\"openai-responses\",\"value\":{\"type\":\"NEVER\"},\"broken\":\"empty\"",
    };
    (void)buf_add_format(b, "{\"type\":\"opaque\",\"wire\":%s}", values[roll(COUNT(values))]);
}

/* A call as its wire had it, in its part. */
static void add_raw_call(const struct making *m, struct buf *b, const char *id)
{
    (void)buf_add_str(b, ",\"raw\":");
    if (from(m, LOWER_ANTHROPIC))
        (void)buf_add_format(b, "{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"view\",\"input\":{\"cache_control\":1},\"cache_control\":{}}", id);
    else if (from(m, LOWER_CHAT))
        (void)buf_add_format(b, "{\"id\":\"%s\",\"type\":\"function\",\"function\":{\"name\":\"view\",\"arguments\":\"{}\"}}", id);
    else if (from(m, LOWER_RESPONSES))
        (void)buf_add_format(b, "{\"type\":\"function_call\",\"call_id\":\"%s\",\"name\":\"view\",\"arguments\":\"{}\"}", id);
    else
        (void)buf_add_format(b, "{\"functionCall\":{\"id\":\"%s\",\"name\":\"view\",\"args\":{\"cache_control\":1}},\"thoughtSignature\":\"S\"}", id);
}

static void add_call(struct making *m, struct buf *b)
{
    char *id = m->open[m->n_open++ % 64];
    /* Some models begin with call_0 again and again. */
    unsigned n = m->again ? roll(3) : roll(9) ? ++m->calls : MAX(m->calls, 1u);
    (void)snprintf(id, 24, roll(9) ? "call_%u" : "call/%u", n);
    (void)buf_add_format(b, "{\"type\":\"tool_call\",\"id\":\"%s\",\"name\":\"%s\",%s", id, roll(9) ? "view" : "fs.read",
                         roll(9) ? "\"arguments\":{\"path\":\"a.png\"}" : "\"arguments_text\":\"not json\"");
    if (m->wire[0] && roll(2))
        add_raw_call(m, b, id);
    (void)buf_add_str(b, "}");
}

/* A result as its wire had it, in the entry. */
static void add_raw_result(const struct making *m, struct buf *b, const char *id)
{
    if (from(m, LOWER_ANTHROPIC))
        (void)buf_add_format(b, ",\"block\":{\"type\":\"tool_result\",\"tool_use_id\":\"%s\",\"cache_control\":{}}", id);
    else if (from(m, LOWER_CHAT))
        (void)buf_add_format(b, ",\"raw\":{\"role\":\"tool\",\"tool_call_id\":\"%s\"}", id);
    else if (from(m, LOWER_RESPONSES))
        (void)buf_add_format(b, ",\"raw\":{\"type\":\"function_call_output\",\"call_id\":\"%s\",\"status\":\"completed\"}", id);
    else
        (void)buf_add_format(b, ",\"block\":{\"functionResponse\":{\"id\":\"%s\",\"name\":\"view\",\"response\":{\"cache_control\":1}}}", id);
}

static void begin_entry(struct making *m)
{
    static const char *const wires[] = {"", "", "", "", "anthropic", "openai-chat", "openai-responses", "gemini"};
    m->wire = wires[roll(COUNT(wires))];
}

static void end_entry(struct making *m, struct buf *b)
{
    (void)buf_add_str(b, "]");
    if (m->wire[0])
        (void)buf_add_format(b, ",\"wire\":\"%s\"", m->wire);
    (void)buf_add_format(b, ",\"at\":%zu}", m->s.n * 1000);
    size_t len = b->len;
    session_add(&m->s, buf_take(b), len);
}

static void make_user(struct making *m)
{
    struct buf b = BUF_INIT(MIB);
    (void)buf_add_format(&b, "{\"kind\":\"%s\"%s,\"parts\":[", roll(8) ? "user" : "system", roll(3) ? "" : ",\"join\":true");
    for (unsigned i = 0, n = roll(4); i < n; i++) {
        (void)buf_add_str(&b, i ? "," : "");
        if (roll(3))
            add_text(&b);
        else
            add_picture(m, &b);
    }
    end_entry(m, &b);
}

static void make_assistant(struct making *m)
{
    struct buf b = BUF_INIT(MIB);
    bool join = m->s.n && strstr(m->s.bodies[m->s.n - 1], "\"assistant\"") && roll(2);
    if (!join)
        m->n_open = 0;
    (void)buf_add_format(&b, "{\"kind\":\"assistant\"%s,\"parts\":[", join ? ",\"join\":true" : "");
    for (unsigned i = 0, n = roll(5); i < n; i++) {
        (void)buf_add_str(&b, i ? "," : "");
        unsigned what = roll(8);
        if (what < 3)
            add_call(m, &b);
        else if (what < 5)
            add_text(&b);
        else if (what < 7)
            add_opaque(&b);
        else
            add_picture(m, &b);
    }
    end_entry(m, &b);
}

static void make_result(struct making *m)
{
    struct buf b = BUF_INIT(MIB);
    size_t open = MIN(m->n_open, (size_t)64);
    const char *id = open && roll(8) ? m->open[roll((unsigned)open)] : roll(2) ? NULL : "stray";
    (void)buf_add_format(&b, "{\"kind\":\"%s\",\"name\":\"view\"%s", roll(3) ? "tool_result" : "perception", roll(6) ? "" : ",\"error\":true");
    if (id)
        (void)buf_add_format(&b, ",\"call\":\"%s\"", id);
    else
        (void)buf_add_str(&b, ",\"arguments\":{\"path\":\"b.png\"}");
    if (id && m->wire[0] && roll(2))
        add_raw_result(m, &b, id);
    (void)buf_add_str(&b, ",\"parts\":[");
    for (unsigned i = 0, n = roll(4); i < n; i++) {
        (void)buf_add_str(&b, i ? "," : "");
        if (roll(2))
            add_text(&b);
        else if (roll(5))
            add_picture(m, &b);
        else
            (void)buf_add_format(&b, "{\"type\":\"opaque\",\"wire\":\"%s\",\"value\":{\"type\":\"NEVER\"},\"broken\":\"cut\"}",
                                 lower_wire_names[roll(LOWER_WIRES)]);
    }
    end_entry(m, &b);
}

static void make_session(struct making *m, uint64_t seed, unsigned n)
{
    dice = seed * 2654435761u + 1;
    *m = (struct making){.again = seed % 3 == 0};
    for (unsigned i = 0; i < n; i++) {
        unsigned what = roll(10);
        begin_entry(m);
        if (what < 2)
            make_user(m);
        else if (what < 6)
            make_assistant(m);
        else
            make_result(m);
    }
}

/* ---------------------------------------------------------------- rules */

static const char *broken; /* the rule that was broken, or NULL */
#define RULE(cond, words)                 \
    do {                                  \
        if (!(cond) && !broken)           \
            broken = (words);             \
    } while (0)

static const char *str(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static void check_text(const json_t *block)
{
    const char *s = json_string_value(json_object_get(block, "text"));
    RULE(!s || s[strspn(s, " \n\t\r")], "a blank text");
}

static size_t check_content(const json_t *content)
{
    size_t i;
    json_t *one;
    if (json_is_string(content)) {
        RULE(json_string_length(content) > 0, "an empty content");
        return 1;
    }
    json_array_foreach(content, i, one)
        check_text(one);
    return json_array_size(content);
}

/* Takes a name out of a set; false when it is not there. */
static bool strike(json_t *set, const char *name)
{
    return json_object_del(set, name) == 0;
}

/* A call is open, and no other of the whole request has its id. */
static void note(json_t *set, json_t *all, const char *name)
{
    RULE(!json_object_get(all, name), "two calls with one id");
    (void)json_object_set_new(set, name, json_true());
    (void)json_object_set_new(all, name, json_true());
}

/* No member but those that the wire knows (NULL-terminated). */
static void check_members(json_t *object, const char *const *known)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        RULE(known[i], "a member that the wire does not know");
    }
}

static void check_id(const char *id, size_t most)
{
    size_t n = strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    RULE(id[0] && !id[n] && n <= most, "an id that is not taken");
}

/* "all content must be type text if is_error is true" */
static void check_error(json_t *result)
{
    static const char *const known[] = {"type", "tool_use_id", "content", "is_error", NULL};
    size_t i;
    json_t *one;
    check_members(result, known);
    json_array_foreach(json_object_get(result, "content"), i, one)
        RULE(!json_is_true(json_object_get(result, "is_error")) || !strcmp(str(one, "type"), "text"), "an error with a picture");
}

static void check_anthropic_results(const json_t *content, json_t *open)
{
    size_t i;
    json_t *one;
    bool others = false;
    json_array_foreach(content, i, one) {
        bool result = !strcmp(str(one, "type"), "tool_result");
        RULE(!result || !others, "a result behind other blocks");
        RULE(!result || strike(open, str(one, "tool_use_id")), "a result without its call");
        RULE(!result || check_content(json_object_get(one, "content")) > 0, "a result without content");
        if (result)
            check_error(one);
        others = others || !result;
    }
}

static void check_anthropic(const json_t *list)
{
    size_t i, k;
    json_t *m, *one, *open = json_object(), *all = json_object();
    RULE(!json_array_size(list) || !strcmp(str(json_array_get(list, 0), "role"), "user"), "the model speaks first");
    json_array_foreach(list, i, m) {
        json_t *content = json_object_get(m, "content");
        bool assistant = !strcmp(str(m, "role"), "assistant");
        static const char *const members[] = {"role", "content", NULL};
        check_members(m, members);
        RULE(check_content(content) > 0, "an empty message");
        RULE(!assistant || !json_object_size(open), "a call without its result");
        check_anthropic_results(content, open);
        RULE(!json_object_size(open), "a call without its result in the next message");
        json_array_foreach(content, k, one)
            if (!strcmp(str(one, "type"), "tool_use")) {
                static const char *const known[] = {"type", "id", "name", "input", NULL};
                RULE(assistant && json_is_object(json_object_get(one, "input")), "no call");
                check_members(one, known);
                check_id(str(one, "id"), 64);
                check_id(str(one, "name"), 64);
                note(open, all, str(one, "id"));
            }
        one = json_array_get(content, json_array_size(content) - 1);
        RULE(strcmp(str(one, "type"), "thinking") != 0, "a message that ends with a thought");
    }
    RULE(!json_object_size(open), "calls that are left open");
    json_decref(open);
    json_decref(all);
}

static void check_chat(const json_t *list, const struct target *t)
{
    size_t i, k;
    json_t *m, *one, *open = json_object(), *all = json_object();
    bool tool_before = false;
    json_array_foreach(list, i, m) {
        json_t *content = json_object_get(m, "content"), *calls = json_object_get(m, "tool_calls");
        const char *role = str(m, "role");
        bool tool = !strcmp(role, "tool");
        static const char *const said[] = {"role", "content", "tool_calls", NULL}, *const told[] = {"role", "content", "tool_call_id", NULL};
        check_members(m, tool ? told : said);
        RULE(tool || !json_object_size(open), "a message before all results");
        RULE(!tool || strike(open, str(m, "tool_call_id")), "a result without its call");
        RULE(check_content(content) > 0 || (calls && json_is_null(content)), "an empty message");
        RULE(!calls || json_array_size(calls) > 0, "an empty list of calls");
        RULE(!t->bridge || !tool_before || strcmp(role, "user") != 0, "a user behind a tool");
        json_array_foreach(content, k, one)
            RULE(!tool || t->tool_image == TOOL_NATIVE || !strcmp(str(one, "type"), "text"), "a picture in a result");
        json_array_foreach(calls, k, one)
            note(open, all, str(one, "id"));
        tool_before = tool;
    }
    RULE(!json_object_size(open), "calls that are left open");
    json_decref(open);
    json_decref(all);
}

static void check_responses(const json_t *list)
{
    size_t i;
    json_t *m, *open = json_object(), *all = json_object();
    bool thought = false;
    json_array_foreach(list, i, m) {
        const char *type = str(m, "type"), *role = str(m, "role");
        bool reasoning = !strcmp(type, "reasoning"), output = !strcmp(type, "function_call_output");
        RULE(!thought || reasoning || !strcmp(type, "function_call") || !strcmp(role, "assistant"), "a thought that nothing follows");
        static const char *const said[] = {"type", "role", "content", NULL};
        if (role[0])
            check_members(m, said);
        RULE(!output || strike(open, str(m, "call_id")), "a result without its call");
        RULE(!role[0] || check_content(json_object_get(m, "content")) > 0, "an empty message");
        RULE(!output || check_content(json_object_get(m, "output")) > 0, "an empty result");
        RULE(!role[0] || !strcmp(role, "assistant") || !json_object_size(open), "a message before all results");
        if (!strcmp(type, "function_call"))
            note(open, all, str(m, "call_id"));
        thought = reasoning;
    }
    RULE(!thought && !json_object_size(open), "calls or thoughts that are left open");
    json_decref(open);
    json_decref(all);
}

static size_t count(const json_t *parts, const char *member)
{
    size_t n = 0, i;
    json_t *one;
    json_array_foreach(parts, i, one)
        n += json_object_get(one, member) != NULL;
    return n;
}

/* Responses stand in the order of their calls and have their ids. */
static void check_pairs(const json_t *calls, const json_t *parts, json_t *ids)
{
    size_t i, k = 0;
    json_t *one;
    json_array_foreach(calls, i, one) {
        const char *id = str(json_object_get(one, "functionCall"), "id");
        if (!json_object_get(one, "functionCall"))
            continue;
        RULE(!strcmp(id, str(json_object_get(json_array_get(parts, k++), "functionResponse"), "id")), "a response with another id");
        note(ids, ids, id);
    }
}

static void check_gemini(const json_t *list, const struct target *t)
{
    size_t i, k, open = 0;
    json_t *m, *one, *ids = json_object();
    RULE(!json_array_size(list) || !strcmp(str(json_array_get(list, 0), "role"), "user"), "the model speaks first");
    json_array_foreach(list, i, m) {
        json_t *parts = json_object_get(m, "parts");
        bool model = !strcmp(str(m, "role"), "model");
        static const char *const known[] = {"role", "parts", NULL};
        size_t calls = count(parts, "functionCall"), first = 0;
        check_members(m, known);
        check_pairs(parts, json_object_get(json_array_get(list, i + 1), "parts"), ids);
        RULE(check_content(parts) > 0, "an empty content");
        RULE(count(parts, "functionResponse") == open, "another number of responses than of calls");
        RULE(!open || !model, "the model speaks before its results");
        json_array_foreach(parts, k, one) {
            RULE(k >= open || json_object_get(one, "functionResponse"), "a response behind other parts");
            RULE(!t->thought_signatures || !json_object_get(one, "functionCall") || first++ || json_object_get(one, "thoughtSignature"),
                 "a first call without a signature");
        }
        RULE(!calls || model, "a call that is not the model's");
        open = calls;
    }
    RULE(!open, "calls that are left open");
    json_decref(ids);
}

static void check_rules(const json_t *list, const struct target *t)
{
    broken = json_is_array(list) ? NULL : "no list";
    if (t->wire == LOWER_ANTHROPIC)
        check_anthropic(list);
    else if (t->wire == LOWER_CHAT)
        check_chat(list, t);
    else if (t->wire == LOWER_RESPONSES)
        check_responses(list);
    else
        check_gemini(list, t);
}

/* The block that a place names. */
static json_t *find_place(const json_t *list, const struct target *t, const struct lower_place *p)
{
    static const char *const lists[LOWER_WIRES][2] = {{"content"}, {"content"}, {"content", "output"}, {"parts"}};
    json_t *m = json_array_get(list, p->message), *blocks = json_object_get(m, lists[t->wire][0]);
    if (!blocks && lists[t->wire][1])
        blocks = json_object_get(m, lists[t->wire][1]);
    json_t *b = json_array_get(blocks, p->block);
    if (p->inner >= 0 && t->wire == LOWER_GEMINI)
        b = json_array_get(json_object_get(json_object_get(b, "functionResponse"), "parts"), (size_t)p->inner);
    else if (p->inner >= 0)
        b = json_array_get(json_object_get(b, "content"), (size_t)p->inner);
    return b;
}

static void check_places(const json_t *list, const struct target *t, const struct run *r)
{
    static const char *const types[] = {"image", "document", "image_url", "file", "input_image", "input_file"};
    for (size_t i = 0; i < r->places; i++) {
        json_t *b = find_place(list, t, &r->place[i]);
        bool media = json_object_get(b, "inlineData") || json_object_get(b, "fileData");
        for (size_t k = 0; k < COUNT(types); k++)
            media = media || !strcmp(str(b, "type"), types[k]);
        RULE(media, "a place where no picture stands");
    }
}

/* ---------------------------------------------------------------- tests */

static struct target random_target(int wire)
{
    struct target t = target_of(wire);
    t.tool_image = roll(2) ? t.tool_image : roll(2) ? TOOL_NATIVE : TOOL_REATTACH;
    t.bridge = roll(2);
    t.vision = roll(6) > 0;
    t.thought_signatures = roll(2);
    t.bound_thinking = roll(2);
    t.limits.images = roll(3) ? 0 : 1 + roll(4);
    return t;
}

static void print_session(const struct session *s, const char *out)
{
    for (size_t i = 0; i < s->n; i++)
        fprintf(stderr, "%s\n", s->bodies[i]);
    fprintf(stderr, "%s\n", out);
}

/* For tests/types: what was lowered, a file each, into the folder that LOWERED names. */
static void keep(const struct run *r, const struct target *t, uint64_t seed)
{
    const char *folder = getenv("LOWERED");
    char path[600];
    if (!folder || seed > 80 || (t->wire == LOWER_CHAT && t->tool_image == TOOL_NATIVE))
        return;
    (void)snprintf(path, sizeof path, "%s/%s.%ju.json", folder, lower_wire_names[t->wire], (uintmax_t)seed);
    FILE *f = fopen(path, "w");
    CHECK(f && fwrite(r->out.data, 1, r->out.len, f) == r->out.len);
    if (f)
        (void)fclose(f);
}

TEST(every_lowered_conversation_keeps_the_rules_of_its_wire)
{
    static const char *const policies[] = {"auto", "all", "turns:1"};
    for (uint64_t seed = 1; seed <= 2000 && !test_failed; seed++) {
        struct making m;
        struct run r;
        make_session(&m, seed, 1 + (unsigned)(seed % 25));
        for (int wire = 0; wire < LOWER_WIRES; wire++) {
            struct target t = random_target(wire);
            struct replay *replay = roll(2) ? replay_all(&m.s, &t, policies[roll(3)]) : NULL;
            CHECK(lower_all(&m.s, &t, replay, false, &r) == 0);
            json_t *list = json_loads(r.out.data, 0, NULL);
            check_rules(list, &t);
            check_places(list, &t, &r);
            RULE(!strstr(r.out.data, "NEVER"), "a block that can never be sent");
            keep(&r, &t, seed);
            CHECK_MSG(!broken, "seed %ju, %s: %s", (uintmax_t)seed, lower_wire_names[wire], broken);
            if (broken)
                print_session(&m.s, r.out.data);
            json_decref(list);
            run_done(&r);
            replay_free(replay);
        }
        session_done(&m.s);
    }
}

TEST(writing_on_from_a_boundary_gives_the_same_bytes)
{
    for (uint64_t seed = 1; seed <= 200 && !test_failed; seed++) {
        struct making m;
        struct run whole, rest;
        make_session(&m, seed + 7777, 30);
        for (int wire = 0; wire < LOWER_WIRES; wire++) {
            struct target t = random_target(wire);
            bool as_is = roll(4) == 0;
            CHECK(lower_all(&m.s, &t, NULL, as_is, &whole) == 0);
            for (size_t i = 0; i < whole.n_marks; i++) {
                struct mark *k = &whole.marks[i];
                CHECK(lower_from(&m.s, &t, NULL, as_is, k->seq, k->message, k->offset, &rest) == 0);
                CHECK_MSG(rest.out.len == whole.out.len - k->offset && !memcmp(rest.out.data, whole.out.data + k->offset, rest.out.len),
                          "seed %ju, %s, from entry %jd", (uintmax_t)seed, lower_wire_names[wire], (intmax_t)k->seq);
                run_done(&rest);
            }
            run_done(&whole);
        }
        session_done(&m.s);
    }
}

/* The entries up to any point, and then some more: what stood before the last boundary must still hold. */
TEST(more_entries_change_nothing_before_the_last_boundary)
{
    for (uint64_t seed = 1; seed <= 150 && !test_failed; seed++) {
        struct making m;
        struct run whole, part;
        make_session(&m, seed + 99999, 24);
        for (int wire = 0; wire < LOWER_WIRES; wire++) {
            struct target t = random_target(wire);
            CHECK(lower_all(&m.s, &t, NULL, false, &whole) == 0);
            size_t n = m.s.n;
            for (m.s.n = 1; m.s.n < n; m.s.n++) {
                CHECK(lower_all(&m.s, &t, NULL, false, &part) == 0);
                size_t keep = part.n_marks ? part.marks[part.n_marks - 1].offset : 0;
                CHECK_MSG(keep <= whole.out.len && !memcmp(part.out.data, whole.out.data, keep), "seed %ju, %s, %zu entries",
                          (uintmax_t)seed, lower_wire_names[wire], m.s.n);
                run_done(&part);
            }
            run_done(&whole);
        }
        session_done(&m.s);
    }
}

/* One message with so many calls, and a result for each. */
static void make_crowd(struct making *m, unsigned calls)
{
    *m = (struct making){0};
    for (unsigned i = 0; i < calls;) {
        struct buf b = BUF_INIT(4 * MIB);
        (void)buf_add_format(&b, "{\"kind\":\"assistant\"%s,\"parts\":[", i ? ",\"join\":true" : "");
        for (unsigned k = 0; k < 4000 && i < calls; k++, i++)
            (void)buf_add_format(&b, "%s{\"type\":\"tool_call\",\"id\":\"c%u\",\"name\":\"f\",\"arguments\":{}}", k ? "," : "", i);
        (void)buf_add_str(&b, "]}");
        size_t len = b.len;
        session_add(&m->s, buf_take(&b), len);
    }
    for (unsigned i = 0; i < calls; i++) {
        struct buf b = BUF_INIT(MIB);
        (void)buf_add_format(&b, "{\"kind\":\"tool_result\",\"call\":\"c%u\",\"parts\":[{\"type\":\"text\",\"text\":\"r\"}]}", calls - 1 - i);
        size_t len = b.len;
        session_add(&m->s, buf_take(&b), len);
    }
}

TEST(forty_thousand_calls_in_one_message_are_no_work_and_more_than_a_group_holds_are_legal)
{
    static const unsigned crowds[] = {40000, 90000};
    for (size_t i = 0; i < COUNT(crowds); i++) {
        struct making m;
        struct run r;
        make_crowd(&m, crowds[i]);
        for (int wire = 0; wire < LOWER_WIRES; wire++) {
            struct target t = target_of(wire);
            clock_t from = clock();
            CHECK(lower_all(&m.s, &t, NULL, false, &r) == 0);
            double s = (double)(clock() - from) / CLOCKS_PER_SEC;
            CHECK_MSG(s < 3, "%u calls, %s: %.2f s", crowds[i], lower_wire_names[wire], s);
            json_t *list = json_loads(r.out.data, 0, NULL);
            check_rules(list, &t);
            CHECK_MSG(!broken, "%u calls, %s: %s", crowds[i], lower_wire_names[wire], broken);
            CHECK(i || !strstr(r.out.data, "no result was recorded"));
            json_decref(list);
            run_done(&r);
        }
        session_done(&m.s);
    }
}

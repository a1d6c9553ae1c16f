/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around the messages, what a refusal of them says, and the names in them. */
#include "test.h"

#include "lower/call_id.h"
#include "lowering.h"

/* ---------------------------------------------------------------- whole requests */

static json_t *whole(const struct target *t, const char *request, const char *rules, const char *array)
{
    struct buf b = BUF_INIT(MIB);
    struct entry_room room = {0};
    struct entry e;
    struct span systems = {rules, rules ? strlen(rules) : 0};
    CHECK(!request || entry_read(request, strlen(request), 1, &room, &e) == 0);
    CHECK(envelope_head(&(struct envelope){.target = t, .request = request ? &e : NULL, .systems = &systems, .n_systems = rules != NULL},
                        &b) == 0);
    (void)buf_add_str(&b, array);
    CHECK(envelope_tail(&b) == 0);
    json_t *root = json_loads(b.data, 0, NULL);
    CHECK_MSG(root, "no JSON: %s", b.data);
    buf_done(&b);
    entry_room_done(&room);
    return root;
}

static void check_body(json_t *root, const char *want)
{
    json_t *body = json_loads(want, 0, NULL);
    char *got = json_dumps(json_object_get(root, "body"), JSON_COMPACT);
    CHECK_MSG(body && json_equal(json_object_get(root, "body"), body), "got %s", got);
    free(got);
    json_decref(body);
    json_decref(root);
}

#define ANTHROPIC_REQUEST                                                                                                          \
    "{\"kind\":\"request\",\"wire\":\"anthropic\",\"system\":[{\"type\":\"text\",\"text\":\"be brief\"}],"                          \
    "\"tools\":[{\"name\":\"fs.read\",\"description\":\"reads\",\"parameters\":{\"type\":\"object\"}}],"                            \
    "\"body\":{\"model\":\"old\",\"max_tokens\":7,\"system\":\"be brief\",\"thinking\":{\"type\":\"adaptive\"},"                    \
    "\"tools\":[{\"name\":\"fs.read\",\"input_schema\":{\"type\":\"object\"}}]}}"

TEST(a_request_of_the_same_wire_stays_as_it_was)
{
    struct target t = target_of(LOWER_ANTHROPIC);
    t.cache.known = true;
    check_body(whole(&t, ANTHROPIC_REQUEST, NULL, "[]"),
               "{\"model\":\"test\",\"max_tokens\":7,\"system\":\"be brief\",\"thinking\":{\"type\":\"adaptive\"},\"tools\":"
               "[{\"name\":\"fs.read\",\"input_schema\":{\"type\":\"object\"}}],\"cache_control\":{\"type\":\"ephemeral\"},"
               "\"messages\":[]}");
}

TEST(marks_for_the_cache_are_counted_where_they_stay)
{
#define MARK "\"cache_control\":{\"type\":\"ephemeral\"}"
#define MARKED "{\"type\":\"text\",\"text\":\"s\"," MARK "}"
#define REQUEST "{\"kind\":\"request\",\"wire\":\"anthropic\",\"body\":{" MARK ",\"max_tokens\":7,\"system\":["
    struct target t = target_of(LOWER_ANTHROPIC);
    t.cache.known = true;
    json_t *three = whole(&t, REQUEST MARKED "," MARKED "," MARKED "]}}", NULL, "[]");
    json_t *four = whole(&t, REQUEST MARKED "," MARKED "," MARKED "," MARKED "]}}", NULL, "[]");
    CHECK(json_object_get(json_object_get(three, "body"), "cache_control"));
    CHECK(!json_object_get(json_object_get(four, "body"), "cache_control"));
    json_decref(three);
    json_decref(four);
}

TEST(instructions_and_tools_cross_to_other_wires)
{
    struct target t = target_of(LOWER_CHAT);
    check_body(whole(&t, ANTHROPIC_REQUEST, NULL, "[{\"role\":\"user\",\"content\":\"q\"}]"),
               "{\"model\":\"test\",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"fs_read\",\"description\":\"reads\","
               "\"parameters\":{\"type\":\"object\"}}}],\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}");
    t = target_of(LOWER_RESPONSES);
    check_body(whole(&t, ANTHROPIC_REQUEST, NULL, "[]"),
               "{\"model\":\"test\",\"instructions\":\"be brief\",\"tools\":[{\"type\":\"function\",\"name\":\"fs_read\","
               "\"description\":\"reads\",\"parameters\":{\"type\":\"object\"},\"strict\":false}],\"store\":false,\"input\":[]}");
    t = target_of(LOWER_GEMINI);
    check_body(whole(&t, ANTHROPIC_REQUEST, "{\"kind\":\"system\",\"parts\":[{\"type\":\"text\",\"text\":\"and kind\"}]}", "[]"),
               "{\"systemInstruction\":{\"parts\":[{\"text\":\"be brief\"},{\"text\":\"and kind\"}]},\"tools\":"
               "[{\"functionDeclarations\":[{\"name\":\"fs_read\",\"description\":\"reads\",\"parametersJsonSchema\":"
               "{\"type\":\"object\"}}]}],\"contents\":[]}");
}

static void keep_words(void *arg, int64_t seq, const char *words)
{
    (void)buf_add_format(arg, "%jd: %s\n", (intmax_t)seq, words);
}

TEST(what_a_model_refuses_is_left_out_of_a_body_and_told)
{
    static const char request[] =
        "{\"kind\":\"request\",\"wire\":\"anthropic\",\"body\":{\"max_tokens\":7,\"temperature\":0.2,\"top_p\":1,\"top_k\":5,"
        "\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024,\"display\":\"omitted\"}}}";
    static const struct {
        const char *model, *thinking, *told;
    } rows[] = {
        {"claude-opus-4-7", "{\"type\":\"adaptive\",\"display\":\"omitted\"}",
         "1: temperature of the request: left out\n1: top_p of the request: left out\n1: top_k of the request: left out\n"
         "1: thinking of the request: adaptive, since the model takes no budget\n"},
        {"claude-sonnet-5", "{\"type\":\"adaptive\",\"display\":\"omitted\"}", NULL},
        {"claude-haiku-4-5", "{\"type\":\"enabled\",\"budget_tokens\":1024,\"display\":\"omitted\"}", NULL},
        {"claude-sonnet-4-6", "{\"type\":\"enabled\",\"budget_tokens\":1024,\"display\":\"omitted\"}", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_buf b = BUF_INIT(MIB), told = BUF_INIT(MIB);
        char want[300];
        struct entry_room room = {0};
        struct entry e;
        struct target t;
        struct fovea_fault fault;
        CHECK(target_make(NULL, &(struct target_ask){.provider = "anthropic", .model = rows[i].model, .wire = "anthropic"}, &t, &fault) == 0);
        CHECK(entry_read(request, strlen(request), 1, &room, &e) == 0);
        CHECK(envelope_head(&(struct envelope){.target = &t, .request = &e, .arg = &told, .report = keep_words}, &b) == 0);
        CHECK(buf_add_str(&b, "[]") == 0 && envelope_tail(&b) == 0);
        (void)snprintf(want, sizeof want, "{\"model\":\"%s\",\"max_tokens\":7,\"cache_control\":{\"type\":\"ephemeral\"},\"thinking\":%s,"
                                          "\"messages\":[]}", rows[i].model, rows[i].thinking);
        check_body(json_loads(b.data, 0, NULL), want);
        if (rows[i].told)
            CHECK_STR(told.data, rows[i].told);
        entry_room_done(&room);
    }
}

TEST(without_a_request_there_is_what_the_wire_demands)
{
    struct target t = target_of(LOWER_ANTHROPIC);
    json_t *root = whole(&t, NULL, "{\"kind\":\"system\",\"parts\":[{\"type\":\"text\",\"text\":\"rules\"}]}", "[]");
    CHECK_STR(json_string_value(json_object_get(json_object_get(root, "headers"), "anthropic-version")), "2023-06-01");
    CHECK(!json_object_get(json_object_get(root, "headers"), "x-api-key"));
    check_body(root, "{\"model\":\"test\",\"max_tokens\":4096,\"system\":[{\"type\":\"text\",\"text\":\"rules\"}],\"messages\":[]}");
}

TEST(instructions_and_tools_of_odd_shape_become_what_the_wire_takes)
{
#define ODD                                                                                                                        \
    "{\"kind\":\"request\",\"wire\":\"openai-chat\",\"system\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\" \"},"   \
    "{\"type\":\"text\"},{\"type\":\"text\",\"text\":\"b\"}],\"tools\":[{\"name\":\"one\"},{\"name\":\"two\",\"parameters\":[]}]}"
#define EMPTY "{\"type\":\"object\",\"properties\":{}}"
    static const struct {
        enum lower_wire wire;
        const char *request, *rules, *want;
    } rows[] = {
        {LOWER_RESPONSES, ODD, NULL,
         "{\"model\":\"test\",\"instructions\":\"a\\n\\nb\",\"tools\":[{\"type\":\"function\",\"name\":\"one\",\"parameters\":" EMPTY
         ",\"strict\":false},{\"type\":\"function\",\"name\":\"two\",\"parameters\":" EMPTY ",\"strict\":false}],\"store\":false,\"input\":[]}"},
        {LOWER_ANTHROPIC, ODD, "{\"kind\":\"system\",\"parts\":[{\"type\":\"text\",\"text\":\"\"},{\"type\":\"image\"},{\"type\":\"text\",\"text\":\"c\"}]}",
         "{\"model\":\"test\",\"system\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"},{\"type\":\"text\",\"text\":\"c\"}],"
         "\"tools\":[{\"name\":\"one\",\"input_schema\":" EMPTY "},{\"name\":\"two\",\"input_schema\":" EMPTY "}],\"max_tokens\":4096,\"messages\":[]}"},
        /* Instructions of a body of the same wire make room for all of them. */
        {LOWER_ANTHROPIC, "{\"kind\":\"request\",\"wire\":\"anthropic\",\"system\":[{\"type\":\"text\",\"text\":\"a\"}],\"body\":{\"max_tokens\":7,\"system\":\"a\","
         "\"metadata\":{}}}", "{\"kind\":\"system\",\"parts\":[{\"type\":\"text\",\"text\":\"c\"}]}",
         "{\"model\":\"test\",\"max_tokens\":7,\"metadata\":{},\"system\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"c\"}],\"messages\":[]}"},
        {LOWER_GEMINI, "{\"kind\":\"request\",\"wire\":\"gemini\",\"system\":[{\"type\":\"text\",\"text\":\"a\"}],\"body\":{\"system_instruction\":{\"parts\":"
         "[{\"text\":\"a\"}]},\"safetySettings\":[]}}", "{\"kind\":\"system\",\"parts\":[{\"type\":\"text\",\"text\":\"c\"}]}",
         "{\"safetySettings\":[],\"systemInstruction\":{\"parts\":[{\"text\":\"a\"},{\"text\":\"c\"}]},\"contents\":[]}"},
        {LOWER_RESPONSES, "{\"kind\":\"request\",\"wire\":\"openai-responses\",\"body\":{\"store\":true}}", NULL,
         "{\"model\":\"test\",\"store\":true,\"input\":[]}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct target t = target_of((int)rows[i].wire);
        check_body(whole(&t, rows[i].request, rows[i].rules, "[]"), rows[i].want);
    }
}

/* ---------------------------------------------------------------- refusals */

struct refusal {
    int wire;
    const char *text;
    int code;
    enum reject_cause cause;
    bool placed;
    struct lower_place place;
};

static const struct refusal refusals[] = {
    {LOWER_ANTHROPIC,
     "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.83.content.0.tool_result.content.1.image."
     "source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes\"}}",
     0, REJECT_TOO_LARGE, true, {83, 0, 1}},
    {LOWER_ANTHROPIC,
     "400 messages.2.content.3.image.source.base64.data: At least one of the image dimensions exceed max allowed size for "
     "many-image requests: 2000 pixels",
     0, REJECT_TOO_LARGE, true, {2, 3, -1}},
    {LOWER_ANTHROPIC, "{\"error\":{\"message\":\"Could not process image\"}}", 0, REJECT_CORRUPT, false, {0, 0, -1}},
    {LOWER_ANTHROPIC,
     "messages.0.content.1.image.source.base64: The image was specified using the image/jpeg media type, but the image appears to "
     "be a image/png image",
     0, REJECT_CORRUPT, true, {0, 1, -1}},
    {LOWER_ANTHROPIC, "messages.4.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png'", 0,
     REJECT_UNSUPPORTED, true, {4, 0, -1}},
    {LOWER_ANTHROPIC, "messages.1.content.2.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.", 0, REJECT_TOO_LARGE,
     true, {1, 2, -1}},
    {LOWER_ANTHROPIC, "messages.1.content.2.image.source: something new", 0, REJECT_UNKNOWN, true, {1, 2, -1}},
    {LOWER_ANTHROPIC, "messages.1.content.0: Invalid `signature` in `thinking` block.", -ENOENT, 0, false, {0, 0, 0}},
    {LOWER_ANTHROPIC, "messages.99999999999999999999.content.0.image: image exceeds", 0, REJECT_TOO_LARGE, false, {0, 0, -1}},
    {LOWER_ANTHROPIC, "prompt is too long: 210000 tokens > 200000 maximum", -ENOENT, 0, false, {0, 0, 0}},
    {LOWER_CHAT,
     "{\"error\":{\"message\":\"Invalid 'messages[3]'. Image URLs are only allowed for messages with role 'user', but this message "
     "with role 'tool' contains an image URL.\",\"param\":\"messages[3]\",\"code\":\"invalid_value\"}}",
     0, REJECT_UNSUPPORTED, true, {3, SIZE_MAX, -1}},
    {LOWER_CHAT, "{\"error\":{\"message\":\"Invalid image\",\"param\":\"messages[5].content[1].image_url\",\"code\":\"x\"}}", 0,
     REJECT_UNKNOWN, true, {5, 1, -1}},
    {LOWER_CHAT, "{\"error\":{\"code\":404,\"message\":\"No endpoints found that support image input\"}}", 0, REJECT_UNSUPPORTED, false,
     {0, 0, -1}},
    {LOWER_CHAT, "At most 4 image(s) may be provided in one prompt.", 0, REJECT_TOO_MANY, false, {0, 0, -1}},
    {LOWER_CHAT, "{\"error\":{\"message\":\"messages.7.content.0.image.source.base64: image exceeds 5 MB\"}}", 0, REJECT_TOO_LARGE,
     false, {0, 0, -1}},
    {LOWER_RESPONSES,
     "{\"error\":{\"message\":\"You uploaded an unsupported image.\",\"param\":\"input[5].content[1].image_url\",\"code\":"
     "\"invalid_image_format\"}}",
     0, REJECT_UNSUPPORTED, true, {5, 1, -1}},
    {LOWER_RESPONSES, "Invalid 'input[12].output[0].image_url': The image data you provided does not represent a valid image", 0,
     REJECT_CORRUPT, true, {12, 0, -1}},
    {LOWER_RESPONSES, "{\"response\":{\"error\":{\"code\":\"image_too_large\",\"message\":\"failed to decode image\"}}}", 0, REJECT_CORRUPT,
     false, {0, 0, -1}},
    {LOWER_GEMINI, "{\"error\":{\"code\":400,\"message\":\"Unable to process input image.\",\"status\":\"INVALID_ARGUMENT\"}}", 0,
     REJECT_CORRUPT, false, {0, 0, -1}},
    {LOWER_GEMINI, "Invalid value at 'contents[2].parts[0].function_response.parts[1].inline_data'", 0, REJECT_UNKNOWN, true, {2, 0, 1}},
    {LOWER_GEMINI, "Multimodal function responses are not supported for this model", 0, REJECT_UNSUPPORTED, false, {0, 0, -1}},
    {LOWER_GEMINI, "API key not valid. Please pass a valid API key.", -ENOENT, 0, false, {0, 0, 0}},
    {LOWER_GEMINI, "", -ENOENT, 0, false, {0, 0, 0}},
};

TEST(a_refusal_is_read_and_its_block_is_found)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const struct refusal *f = &refusals[i];
        struct rejection r = {.cause = REJECT_UNKNOWN};
        int code = reject_read((enum lower_wire)f->wire, f->text, strlen(f->text), &r);
        CHECK_MSG(code == f->code, "%d: %s", code, f->text);
        if (code < 0 || f->code < 0)
            continue;
        CHECK_MSG(r.cause == f->cause, "cause %d: %s", r.cause, f->text);
        CHECK_MSG(r.placed == f->placed, "placed %d: %s", r.placed, f->text);
        CHECK_MSG(!r.placed || (r.place.message == f->place.message && r.place.block == f->place.block && r.place.inner == f->place.inner),
                  "%zu %zu %jd: %s", r.place.message, r.place.block, (intmax_t)r.place.inner, f->text);
        CHECK(r.words[0]);
    }
}

/* ---------------------------------------------------------------- names */

static struct span of(const char *s)
{
    return (struct span){s, strlen(s)};
}

TEST(ids_are_kept_where_they_are_taken_and_never_meet_where_they_are_not)
{
    char a[CALL_ID_ROOM], b[CALL_ID_ROOM];
    call_id(LOWER_ANTHROPIC, of("toolu_01A-b"), 0, a);
    CHECK_STR(a, "toolu_01A-b");
    call_id(LOWER_ANTHROPIC, of("call/1"), 0, a);
    call_id(LOWER_ANTHROPIC, of("call.1"), 0, b);
    CHECK(!strncmp(a, "call_1_", 7) && !strncmp(b, "call_1_", 7) && strcmp(a, b) != 0);
    call_id(LOWER_ANTHROPIC, of("x"), 1, a);
    call_id(LOWER_ANTHROPIC, of("x"), 257, b);
    CHECK(strcmp(a, "x") != 0 && strcmp(a, b) != 0);
    call_id(LOWER_ANTHROPIC, of("x"), 65537, b);
    CHECK(strcmp(a, b) != 0);
    for (int wire = 0; wire < LOWER_WIRES; wire++) {
        char longest[300];
        memset(longest, 'y', sizeof longest);
        call_id((enum lower_wire)wire, (struct span){longest, sizeof longest}, 0, a);
        CHECK(strlen(a) == (wire == LOWER_CHAT ? 40 : 64));
        call_id((enum lower_wire)wire, (struct span){0}, 0, a);
        CHECK(a[0]);
    }
    tool_name(of("mcp:fs.read"), a);
    CHECK_STR(a, "mcp_fs_read");
    tool_name((struct span){0}, a);
    CHECK_STR(a, "tool");
}

/* What the replay counts for such words must hold, whatever a name is made of. */
TEST(a_long_name_is_cut_between_letters_and_is_short_in_json_too)
{
    static const char *const letters[] = {"y", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\\u0001", "\\\""};
    for (size_t i = 0; i < COUNT(letters); i++) {
        struct buf body = BUF_INIT(MIB), b = BUF_INIT(LIMIT_STUB_BYTES);
        struct entry_room room = {0};
        struct entry e;
        (void)buf_add_str(&body, "{\"kind\":\"tool_result\",\"call\":\"c\",\"parts\":[{\"type\":\"image\",\"name\":\"");
        for (int k = 0; k < 1000; k++)
            (void)buf_add_str(&body, letters[i]);
        (void)buf_add_str(&body, "\"}]}");
        CHECK(entry_read(body.data, body.len, 1, &room, &e) == 0);
        CHECK(elided_text(&e, &e.parts[0], (struct span){0}, &b) == 0);
        json_t *text = json_string(b.data);
        char *json = json_dumps(text, JSON_ENCODE_ANY);
        CHECK_MSG(json && strlen(json) < 300 && strlen(json) > 200 && strstr(b.data, "… seen earlier"), "%s", b.data);
        free(json);
        json_decref(text);
        buf_done(&body);
        buf_done(&b);
        entry_room_done(&room);
    }
}

TEST(an_elided_picture_is_named_by_the_best_that_is_known)
{
    static const struct {
        const char *part, *arguments, *want;
    } rows[] = {
        {"\"ref\":\"a.png\",\"view\":\"view:x1\",\"media_type\":\"image/png\",\"width\":8,\"height\":6", "{}",
         "[image a.png (image/png 8x6) seen earlier, view:x1 — call view to see it again]"},
        {"\"name\":\"n \\\"q\\\".png\",\"media_type\":\"image/png\"", "{}",
         "[image n \"q\".png (image/png) seen earlier — call view to see it again]"},
        {"\"view\":\"view:x1\"", "{\"path\":\"p/\\u00e9.png\"}", "[image p/é.png seen earlier, view:x1 — call view to see it again]"},
        {"\"view\":\"view:x1\"", "{\"path\":\"data:image/png;base64,AAAA\"}", "[image seen earlier, view:x1 — call view to see it again]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char body[600];
        struct entry_room room = {0};
        struct entry e;
        struct buf b = BUF_INIT(LIMIT_STUB_BYTES);
        (void)snprintf(body, sizeof body, "{\"kind\":\"tool_result\",\"call\":\"c\",\"parts\":[{\"type\":\"image\",%s}]}", rows[i].part);
        CHECK(entry_read(body, strlen(body), 1, &room, &e) == 0);
        CHECK(elided_text(&e, &e.parts[0], of(rows[i].arguments), &b) == 0);
        CHECK_STR(b.data, rows[i].want);
        buf_done(&b);
        entry_room_done(&room);
    }
}

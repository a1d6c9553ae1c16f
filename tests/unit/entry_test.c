/* SPDX-License-Identifier: Apache-2.0 */
/* Stored entries read in place. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "base/limits.h"
#include "transcript/entry.h"

#define SHA "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static int read_text(const char *body, struct entry_room *room, struct entry *e)
{
    return entry_read(body, strlen(body), 9, room, e);
}

TEST(every_member_of_an_entry_is_found)
{
    struct entry_room room = {0};
    struct entry e;
    CHECK(read_text("{\"kind\":\"tool_result\",\"at\":1700000000000,\"wire\":\"gemini\",\"join\":true,\"plain\":true,\"role\":\"r\",\"call\":\"c\","
                    "\"name\":\"n\",\"error\":true,\"arguments\":{\"a\":1},\"result\":{\"b\":2},\"block\":{\"k\":3},\"raw\":{},"
                    "\"newer\":[1],\"parts\":[]}", &room, &e) == 0);
    CHECK(e.seq == 9 && e.kind == ENTRY_TOOL_RESULT && e.at == 1700000000000 && e.join && e.plain && e.error && !e.starts_turn);
    CHECK(span_is(e.wire, "\"gemini\"") && span_is(e.role, "\"r\"") && span_is(e.call, "\"c\"") && span_is(e.name, "\"n\""));
    CHECK(span_is(e.arguments, "{\"a\":1}") && span_is(e.result, "{\"b\":2}") && span_is(e.block, "{\"k\":3}") && span_is(e.raw, "{}"));
    CHECK(e.n_parts == 0 && entry_is_said(&e));
    CHECK(read_text("{\"kind\":\"request\",\"system\":[],\"tools\":[1],\"body\":{\"x\":1}}", &room, &e) == 0);
    CHECK(span_is(e.instructions, "[]") && span_is(e.tools, "[1]") && span_is(e.body, "{\"x\":1}") && !entry_is_said(&e));
    CHECK(read_text("{\"kind\":\"repair\",\"entry\":3,\"part\":2,\"how\":\"stub\",\"why\":\"w\"}", &room, &e) == 0);
    CHECK(e.target_entry == 3 && e.target_part == 2 && span_is(e.how, "\"stub\"") && span_is(e.why, "\"w\"") && !entry_is_said(&e));
    CHECK(read_text("{\"kind\":\"usage\",\"model\":\"a/b\"}", &room, &e) == 0 && span_is(e.model, "\"a/b\"") && !entry_is_said(&e));
    entry_room_done(&room);
}

TEST(every_member_of_a_part_is_found)
{
    struct entry_room room = {0};
    struct entry e;
    CHECK(read_text("{\"kind\":\"user\",\"parts\":["
                    "{\"type\":\"text\",\"text\":\"t\",\"raw\":{\"x\":1}},"
                    "{\"type\":\"image\",\"media_type\":\"image/png\",\"declared\":\"image/jpeg\",\"sha256\":\"" SHA "\",\"bytes\":7,\"width\":3,"
                    "\"height\":4294967295,\"name\":\"n\",\"view\":\"view:1\",\"ref\":\"r\",\"broken\":\"b\"},"
                    "{\"type\":\"document\",\"url\":\"u\",\"file_id\":\"f\",\"pages\":5},"
                    "{\"type\":\"tool_call\",\"id\":\"i\",\"name\":\"n\",\"arguments\":{},\"arguments_text\":\"x\"},"
                    "{\"type\":\"opaque\",\"wire\":\"gemini\",\"value\":{\"v\":1},\"thinking\":true,\"text\":\"w\"}]}", &room, &e) == 0);
    CHECK(e.n_parts == 5 && e.starts_turn);
    const struct part *p = e.parts;
    CHECK(p[0].type == PART_TEXT && span_is(p[0].text, "\"t\"") && span_is(p[0].raw, "{\"x\":1}") && !p[0].stored);
    CHECK(p[1].type == PART_IMAGE && p[1].stored && p[1].sha256[1] == 0x11 && p[1].sha256[31] == 0xff && p[1].bytes == 7);
    CHECK(p[1].width == 3 && p[1].height == UINT32_MAX && span_is(p[1].declared, "\"image/jpeg\"") && span_is(p[1].view, "\"view:1\""));
    CHECK(span_is(p[1].ref, "\"r\"") && span_is(p[1].broken, "\"b\"") && span_is(p[1].media_type, "\"image/png\""));
    CHECK(p[2].type == PART_DOCUMENT && span_is(p[2].url, "\"u\"") && span_is(p[2].file_id, "\"f\"") && p[2].pages == 5);
    CHECK(p[3].type == PART_TOOL_CALL && span_is(p[3].id, "\"i\"") && span_is(p[3].value, "{}") && span_is(p[3].value_text, "\"x\""));
    CHECK(p[4].type == PART_OPAQUE && p[4].thinking && span_is(p[4].value, "{\"v\":1}") && span_is(p[4].wire, "\"gemini\""));
    entry_room_done(&room);
}

TEST(every_kind_is_known_by_its_name)
{
    struct entry_room room = {0};
    struct entry e;
    for (int i = 0; i < ENTRY_KINDS; i++) {
        char body[64];
        (void)snprintf(body, sizeof body, "{\"kind\":\"%s\"}", entry_kinds[i]);
        CHECK(read_text(body, &room, &e) == 0 && e.kind == (enum entry_kind)i && e.starts_turn == (i == ENTRY_USER));
    }
    CHECK(read_text("{\"kind\":\"user\",\"join\":true}", &room, &e) == 0 && !e.starts_turn);
    entry_room_done(&room);
}

TEST(what_is_no_entry_is_refused_and_nothing_is_written)
{
    static const char *const bodies[] = {
        "", "[]", "7", "{", "{}", "{\"kind\":7}", "{\"kind\":\"tool_call\"}", "{\"kind\":\"user\" 1}", "{\"kind\":\"user\",\"parts\":{}}",
        "{\"kind\":\"user\",\"parts\":7}", "{\"kind\":\"user\",\"parts\":[7]}", "{\"kind\":\"user\",\"parts\":[{}]}", "{\"kind\":\"user\",\"parts\":[{\"type\":\"video\"}]}",
        "{\"kind\":\"user\",\"at\":\"x\"}", "{\"kind\":\"user\",\"at\":1.5}", "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"width\":-1}]}",
        "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"width\":4294967296}]}", "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"sha256\":\"00\"}]}",
        "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"sha256\":\"ZZ112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}]}",
        "{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",]}",
    };
    struct entry_room room = {0};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        struct entry e = {.seq = 77};
        CHECK_MSG(read_text(bodies[i], &room, &e) == -EBADMSG && e.seq == 77, "%s", bodies[i]);
    }
    entry_room_done(&room);
}

TEST(parts_are_as_many_as_the_limit_says_and_no_more)
{
    static const char one[] = "{\"type\":\"text\",\"text\":\"\"},";
    struct entry_room room = {0};
    struct entry e;
    struct buf b = BUF_INIT(MIB);
    (void)buf_add_str(&b, "{\"kind\":\"user\",\"parts\":[");
    for (int i = 0; i < LIMIT_ENTRY_PARTS; i++)
        (void)buf_add_str(&b, one);
    b.len--;
    size_t full = b.len;
    (void)buf_add_str(&b, "]}");
    CHECK(entry_read(b.data, b.len, 1, &room, &e) == 0 && e.n_parts == LIMIT_ENTRY_PARTS);
    b.len = full;
    (void)buf_add_str(&b, ",{\"type\":\"text\",\"text\":\"\"}]}");
    CHECK(entry_read(b.data, b.len, 1, &room, &e) == -E2BIG);
    buf_done(&b);
    entry_room_done(&room);
}

TEST(a_damaged_entry_is_never_read_outside)
{
    static const char good[] = "{\"kind\":\"user\",\"at\":5,\"parts\":[{\"type\":\"image\",\"sha256\":\"" SHA "\",\"width\":1},{\"type\":\"text\",\"text\":\"\\\"\"}]}";
    struct entry_room room = {0};
    unsigned seed = 3;
    for (unsigned round = 0; round < 20000; round++) {
        size_t len = sizeof good - 1 - (round % 5 ? 0 : round / 5 % (sizeof good - 1));
        char *text = malloc(len ? len : 1);
        struct entry e;
        memcpy(text, good, len);
        for (unsigned i = 0; len && i <= round % 3; i++) {
            seed = seed * 1103515245 + 12345;
            text[(seed >> 9) % len] = "{}[]\",:\\0a "[(seed >> 21) % 11];
        }
        (void)entry_read(text, len, 1, &room, &e);
        free(text);
    }
    entry_room_done(&room);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: what is one, what error its sender is owed, and which id that error carries. */
#include "test.h"

#include "base/buf.h"
#include "base/limits.h"
#include "mcp/find_id.h"
#include "mcp/message.h"

struct row {
    const char *text;
    int code;       /* 0: a message */
    const char *id; /* as JSON; NULL: none */
    enum message_kind kind;
};

#define HEAD "{\"jsonrpc\":\"2.0\","
static const struct row rows[] = {
    {HEAD "\"id\":1,\"method\":\"ping\"}", 0, "1", MESSAGE_REQUEST},
    {HEAD "\"id\":\"a\",\"method\":\"ping\",\"params\":{}}", 0, "\"a\"", MESSAGE_REQUEST},
    {HEAD "\"id\":-9223372036854775808,\"method\":\"ping\"}", 0, "-9223372036854775808", MESSAGE_REQUEST},
    {HEAD "\"method\":\"notifications/initialized\"}", 0, NULL, MESSAGE_NOTIFICATION},
    {HEAD "\"id\":1,\"result\":{}}", 0, "1", MESSAGE_RESPONSE},
    {HEAD "\"id\":1,\"error\":{\"code\":1,\"message\":\"no\"}}", 0, "1", MESSAGE_RESPONSE},
    {HEAD "\"error\":{\"code\":1,\"message\":\"no\"}}", 0, NULL, MESSAGE_RESPONSE},
    {" \t{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"x\"}\r", 0, "3", MESSAGE_REQUEST},
    /* JSON that is no message */
    {"1", RPC_INVALID, NULL, 0},
    {"null", RPC_INVALID, NULL, 0},
    {"\"x\"", RPC_INVALID, NULL, 0},
    {"{}", RPC_INVALID, NULL, 0},
    {"{\"id\":7,\"method\":\"ping\"}", RPC_INVALID, "7", 0},
    {"{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}", RPC_INVALID, "7", 0},
    {HEAD "\"id\":7}", RPC_INVALID, "7", 0},
    {HEAD "\"id\":7,\"method\":5}", RPC_INVALID, "7", 0},
    {HEAD "\"id\":null,\"method\":\"ping\"}", RPC_INVALID, NULL, 0},
    {HEAD "\"id\":1.5,\"method\":\"ping\"}", RPC_INVALID, NULL, 0},
    {HEAD "\"id\":{},\"method\":\"ping\"}", RPC_INVALID, NULL, 0},
    {HEAD "\"id\":true,\"method\":\"ping\"}", RPC_INVALID, NULL, 0},
    {HEAD "\"result\":{}}", RPC_INVALID, NULL, 0},
    {HEAD "\"id\":7,\"method\":\"pi\\u0000ng\"}", RPC_INVALID, "7", 0},
    {HEAD "\"id\":7,\"method\":\"ping\",\"params\":[]}", RPC_PARAMS, "7", 0},
    {HEAD "\"id\":7,\"method\":\"ping\",\"params\":null}", RPC_PARAMS, "7", 0},
    {HEAD "\"id\":7,\"method\":\"ping\",\"params\":{\"_meta\":1}}", RPC_PARAMS, "7", 0},
    {HEAD "\"id\":7,\"method\":\"ping\",\"params\":{\"x\":1e999}}", RPC_PARSE, "7", 0},
    {HEAD "\"id\":7,\"id\":8,\"method\":\"ping\"}", RPC_INVALID, "7", 0},
    {HEAD "\"id\":99999999999999999999,\"method\":\"ping\"}", RPC_PARSE, NULL, 0},
    /* not JSON */
    {"{", RPC_PARSE, NULL, 0},
    {"hello", RPC_PARSE, NULL, 0},
    {"\xef\xbb\xbf{}", RPC_PARSE, NULL, 0},
    {HEAD "\"id\":7,\"method\":\"pi", RPC_PARSE, "7", 0},
    {HEAD "\"id\" : \"a\\\"b\" ,\"method\":", RPC_PARSE, "\"a\\\"b\"", 0},
    {HEAD "\"id\":7", RPC_PARSE, NULL, 0},                      /* might have been 71 */
    {HEAD "\"id\":\"unclosed", RPC_PARSE, NULL, 0},
    {HEAD "\"params\":{\"id\":7},\"method\":", RPC_PARSE, NULL, 0}, /* not the message's own */
    {HEAD "\"params\":\"\\\"id\\\":7\",\"x\":", RPC_PARSE, NULL, 0},
    {"[{\"id\":7},", RPC_PARSE, NULL, 0},
    {HEAD "\"id\":7,\"x\":\"\xff\"}", RPC_PARSE, "7", 0},
    {HEAD "\"id\":7,\"x\":\"\xed\xa0\x80\"}", RPC_PARSE, "7", 0},
    {HEAD "\"id\":7,\"x\":\"\\ud800\"}", RPC_PARSE, "7", 0},
    {HEAD "\"id\":7,\"method\":\"ping\"}}", RPC_PARSE, "7", 0},
    {HEAD "\"id\":7,\"method\":\"ping\"} {}", RPC_PARSE, "7", 0},
};

static void judge(const struct row *row, const char *text, size_t len)
{
    struct rpc_error error = {0};
    struct message m = {0};
    json_t *broken;
    auto_json *root = message_load(text, len, &broken, &error);
    auto_json *id = broken;
    auto_free char *shown = NULL;
    if (root)
        (void)message_read(root, &m, &error);
    const json_t *seen = root ? m.id : id;
    shown = seen ? json_dumps(seen, JSON_ENCODE_ANY) : NULL;
    CHECK_MSG((int)error.code == row->code, "%s: code %d, want %d", text, error.code, row->code);
    CHECK_MSG(!shown == !row->id && (!shown || !strcmp(shown, row->id)), "%s: id %s", text, shown ? shown : "none");
    CHECK_MSG(row->code || m.kind == row->kind, "%s: kind %d", text, m.kind);
}

TEST(every_text_is_a_message_or_gets_its_typed_error_with_the_id_that_can_be_read)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        judge(&rows[i], rows[i].text, strlen(rows[i].text));
}

static void found(const char *text, size_t piece, const char *want)
{
    struct id_finder f = {0};
    for (size_t at = 0, len = strlen(text); at < len; at += piece)
        id_finder_take(&f, text + at, MIN(piece, len - at));
    auto_json *id = id_finder_id(&f);
    auto_free char *shown = id ? json_dumps(id, JSON_ENCODE_ANY) : NULL;
    CHECK_MSG(!shown == !want && (!shown || !strcmp(shown, want)), "%s: id %s", text, shown ? shown : "none");
}

TEST(an_id_is_found_wherever_it_stands_and_however_the_text_comes)
{
    static const struct {
        const char *text, *id;
    } more[] = {
        {HEAD "\"method\":\"x\",\"params\":{\"id\":1,\"a\":[{\"id\":2}]},\"id\":3}", "3"},
        {"{\"params\":[\"id\",4],\"id\":\"\\u00e4\\\\\",\"method\":\"x\"}", "\"\u00e4\\\\\""},
        {"{ \"id\"\t: -5 }", "-5"},
        {"{\"a\":\"id\",\"b\":6}", NULL},
        {"{\"a\":\"\\\"id\\\":7}\"}", NULL},
        {"{\"xid\":8,\"id2\":8,\"\\\"id\":8}", NULL},
        {"{\"id\":1.5}", NULL},
        {"{\"id\":[1]}", NULL},
        {"{\"id\":null}", NULL},
        {"[{\"id\":9}]", NULL},
    };
    for (size_t piece = 1; piece < 9; piece++) {
        for (size_t i = 0; i < COUNT(more); i++)
            found(more[i].text, piece, more[i].id);
        for (size_t i = 0; i < COUNT(rows); i++)
            if (rows[i].code == RPC_PARSE)
                found(rows[i].text, piece, rows[i].id);
    }
}

TEST(a_nul_is_refused_wherever_it_stands)
{
    static const char inside[] = HEAD "\"id\":7,\"method\":\"pi\0ng\"}";
    static const char behind[] = HEAD "\"id\":7,\"method\":\"ping\"}\0";
    static const struct row row = {.code = RPC_PARSE, .id = "7"};
    judge(&row, inside, sizeof inside - 1);
    judge(&row, behind, sizeof behind - 1);
}

static void nest(struct buf *b, int depth)
{
    (void)buf_add_str(b, HEAD "\"id\":7,\"method\":\"ping\",\"params\":{\"x\":");
    for (int i = 2; i < depth; i++)
        (void)buf_add_str(b, "[");
    for (int i = 2; i < depth; i++)
        (void)buf_add_str(b, "]");
    (void)buf_add_str(b, depth > 2 ? "}}" : "1}}");
}

TEST(nesting_is_bounded_at_128)
{
    static const struct {
        int depth, code;
    } depths[] = {{127, 0}, {128, 0}, {129, RPC_PARSE}, {100000, RPC_PARSE}};
    for (size_t i = 0; i < COUNT(depths); i++) {
        auto_buf b = BUF_INIT(MIB);
        nest(&b, depths[i].depth);
        const struct row row = {.code = depths[i].code, .id = "7", .kind = MESSAGE_REQUEST};
        judge(&row, b.data, b.len);
    }
}

TEST(a_notification_with_wrong_params_is_still_known_as_one)
{
    static const char text[] = HEAD "\"method\":\"notifications/cancelled\",\"params\":[]}";
    struct rpc_error error;
    struct message m;
    json_t *id;
    auto_json *root = message_load(text, sizeof text - 1, &id, &error);
    CHECK(message_read(root, &m, &error) && m.kind == MESSAGE_NOTIFICATION);
}

TEST(a_message_of_too_many_values_or_too_long_an_id_is_refused)
{
    auto_buf many = BUF_INIT(MIB), id = BUF_INIT(MIB);
    (void)buf_add_str(&many, HEAD "\"id\":7,\"method\":\"ping\",\"params\":{\"x\":[0");
    for (int i = 0; i < LIMIT_MCP_VALUES; i++)
        (void)buf_add_str(&many, ",0");
    (void)buf_add_str(&many, "]}}");
    static const struct row too_many = {.code = RPC_INVALID, .id = "7"}, too_long = {.code = RPC_INVALID};
    judge(&too_many, many.data, many.len);
    (void)buf_add_str(&id, HEAD "\"method\":\"ping\",\"id\":\"");
    for (int i = 0; i <= LIMIT_MCP_ID; i++)
        (void)buf_add_str(&id, "x");
    (void)buf_add_str(&id, "\"}");
    judge(&too_long, id.data, id.len);
}

TEST(brackets_inside_strings_do_not_nest)
{
    auto_buf b = BUF_INIT(MIB);
    (void)buf_add_str(&b, HEAD "\"id\":7,\"method\":\"ping\",\"params\":{\"x\":\"\\\\\\\"");
    for (int i = 0; i < 500; i++)
        (void)buf_add_str(&b, "[{");
    (void)buf_add_str(&b, "\"}}");
    static const struct row row = {.id = "7", .kind = MESSAGE_REQUEST};
    judge(&row, b.data, b.len);
}

static bool starving;

static void *give(size_t size)
{
    return starving ? NULL : malloc(size);
}

/* Before anybody reads: what gives out memory then is watched ever after. */
__attribute__((constructor)) static void feed_ourselves(void)
{
    json_set_alloc_funcs(give, free);
}

TEST(without_memory_to_read_a_message_its_sender_is_told_so)
{
    static const char text[] = HEAD "\"id\":1,\"method\":\"ping\"}";
    struct rpc_error error = {0};
    json_t *id = NULL;
    starving = true;
    json_t *root = message_load(text, strlen(text), &id, &error);
    starving = false;
    CHECK_MSG(!root && !id && error.code == RPC_INTERNAL && strstr(error.text, "out of memory"), "%d %s", error.code, error.text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of the parts that touch no file: JSON Schema, requests of four wires taken in, entries that a host wrote; and settings. */
#include <errno.h>
#include <jansson.h>
#include <unistd.h>

#include "api/config.h"
#include "base/cleanup.h"
#include "base/buf.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "lower/write.h"
#include "scenes.h"
#include "schema/schema.h"
#include "transcript/transcript.h"

static void json_decref_p(json_t **j)
{
    json_decref(*j);
}
#define auto_json cleanup(json_decref_p) json_t

/* ---------------------------------------------------------------- JSON Schema */

static const char schema_text[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"required\":[\"a\"],\"additionalProperties\":false,"
    "\"$defs\":{\"n\":{\"$anchor\":\"n\",\"type\":\"integer\",\"multipleOf\":3}},\"properties\":{\"a\":{\"type\":\"array\",\"uniqueItems\":true,"
    "\"items\":{\"$ref\":\"#n\"},\"contains\":{\"const\":6}},\"b\":{\"pattern\":\"^[a-z]+\\\\d?$\",\"minLength\":2,\"format\":\"uri\"},"
    "\"c\":{\"anyOf\":[{\"enum\":[1,\"x\",null]},{\"not\":{\"type\":\"string\"}}]}},\"patternProperties\":{\"^d\":{\"type\":\"number\"}},"
    "\"unevaluatedProperties\":false}";
static const char *const instances[] = {"{\"a\":[3,6,9],\"b\":\"ab1\",\"c\":\"x\",\"d1\":1.5}", "{\"a\":[3,3,6]}", "{\"a\":[4,6]}", "{\"b\":7}"};

static void run_schema(struct outcome *o)
{
    struct fovea_fault fault = {0};
    struct schema *s = NULL;
    auto_json *document = json_read(schema_text, strlen(schema_text), 0, NULL);
    if (!document) {
        tell_str(o, NULL);
        return;
    }
    int r = schema_new(document, &(struct schema_options){.formats = false}, &s, &fault);
    tell_fault(o, r, &fault);
    for (size_t i = 0; i < COUNT(instances) && r == 0; i++) {
        struct schema_error e = {0};
        auto_json *instance = json_read(instances[i], strlen(instances[i]), 0, NULL);
        int verdict = instance ? schema_check(s, instance, &e) : -ENOMEM;
        if (verdict < 0)
            tell_str(o, NULL);
        tell_bytes(o, &verdict, sizeof verdict);
        tell_str(o, verdict == 1 ? e.text : "");
    }
    schema_free(s);
}

const struct scene scene_schema = {.name = "schema", .run = run_schema};

/* ---------------------------------------------------------------- transcripts */

#define PNG "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="
static const char *const requests[][2] = {
    {"anthropic",
     "{\"model\":\"m\",\"max_tokens\":9,\"system\":\"be kind\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"see\","
     "\"cache_control\":{\"type\":\"ephemeral\"}},{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"" PNG "\"}}]},"
     "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},{\"type\":\"tool_use\",\"id\":\"t1\","
     "\"name\":\"view\",\"input\":{\"path\":\"a.png\"}}]},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":"
     "[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"" PNG "\"}}]},{\"type\":\"odd\",\"x\":[1,2]}]}]}"},
    {"openai-chat",
     "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"be kind\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"see\"},"
     "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64," PNG "\",\"detail\":\"low\"}}]},{\"role\":\"assistant\",\"content\":null,"
     "\"tool_calls\":[{\"id\":\"t1\",\"type\":\"function\",\"function\":{\"name\":\"view\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"t1\","
     "\"content\":\"done\"}]}"},
    {"openai-responses",
     "{\"model\":\"m\",\"instructions\":\"be kind\",\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"see\"},"
     "{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64," PNG "\"}]},{\"type\":\"function_call\",\"call_id\":\"t1\",\"name\":\"view\","
     "\"arguments\":\"{}\"},{\"type\":\"function_call_output\",\"call_id\":\"t1\",\"output\":\"done\"},{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[]}]}"},
    {"gemini",
     "{\"systemInstruction\":{\"parts\":[{\"text\":\"be kind\"}]},\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"see\"},{\"inlineData\":"
     "{\"mimeType\":\"image/png\",\"data\":\"" PNG "\"}}]},{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"view\",\"args\":{\"a\":1}}}]},"
     "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"view\",\"response\":{\"output\":\"done\"}}}]}]}"},
};

static int look(void *arg, const struct incoming_blob *blob, struct incoming_picture *ret, struct fovea_fault *fault)
{
    (void)arg, (void)blob, (void)fault;
    *ret = (struct incoming_picture){.media_type = "image/png", .width = 2, .height = 2};
    return 0;
}

/* What came in, and again as if it had been stored. */
static void tell_incoming(struct outcome *o, struct incoming *in)
{
    struct fovea_fault fault = {0};
    struct prefix p = {.in = in};
    size_t i;
    json_t *e;
    tell_fault(o, incoming_pictures(in, look, NULL, &fault), &fault);
    if (o->code == 0 && incoming_views(in) < 0)
        tell_str(o, NULL);
    json_array_foreach(in->entries, i, e) {
        size_t len = 0;
        auto_free char *text = o->code == 0 ? entry_text_new(e, &len) : NULL;
        tell_str(o, text);
        if (text && prefix_entry(&p, text, len) < 0)
            tell_str(o, NULL);
    }
    if (o->code == 0 && prefix_end(&p) < 0)
        tell_str(o, NULL);
    size_t left = o->code == 0 ? json_array_size(in->entries) : 0;
    tell_bytes(o, &left, sizeof left);
    prefix_done(&p);
}

static void run_imports(struct outcome *o)
{
    for (size_t i = 0; i < COUNT(requests) && o->code == 0; i++) {
        struct incoming in = {.max_blob = 1 << 20};
        struct fovea_fault fault = {0};
        auto_json *root = json_read(requests[i][1], strlen(requests[i][1]), 0, NULL);
        if (!root) {
            tell_str(o, NULL);
            return;
        }
        int r = incoming_request(&in, requests[i][0], root, &fault);
        tell_fault(o, r, &fault);
        if (r == 0)
            tell_incoming(o, &in);
        incoming_done(&in);
    }
}

const struct scene scene_imports = {.name = "imports", .run = run_imports};

static const char *const neutral[] = {
    "{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"image\",\"data\":\"" PNG "\"}]}",
    "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"view\",\"arguments\":{\"path\":\"a.png\"}}]}",
    "{\"kind\":\"tool_result\",\"call\":\"c1\",\"name\":\"view\",\"parts\":[{\"type\":\"image\",\"data\":\"" PNG "\"}]}",
};

static void run_neutral(struct outcome *o)
{
    struct incoming in = {.max_blob = 1 << 20};
    for (size_t i = 0; i < COUNT(neutral) && o->code == 0; i++) {
        struct fovea_fault fault = {0};
        auto_json *entry = json_read(neutral[i], strlen(neutral[i]), 0, NULL);
        int r = entry ? incoming_entry(&in, entry, &fault) : 0;
        if (!entry)
            tell_str(o, NULL);
        tell_fault(o, r, &fault);
    }
    if (o->code == 0)
        tell_incoming(o, &in);
    incoming_done(&in);
}

const struct scene scene_neutral = {.name = "neutral", .run = run_neutral};

/* Words that stand for a picture in a request name it, or there are none. */
static void run_stub(struct outcome *o)
{
    static const char body[] = "{\"kind\":\"user\",\"at\":1,\"parts\":[{\"type\":\"image\",\"name\":\"it\\u2019s a \\\"name\\\".png\",\"url\":\"https://a.test/b\","
                               "\"media_type\":\"image/png\",\"view\":\"view:0123\"}]}";
    struct entry_room room = {0};
    struct entry e;
    auto_buf b = BUF_INIT(LIMIT_ENTRY_BYTES);
    int r = entry_read(body, sizeof body - 1, 1, &room, &e);
    r = r < 0 ? r : stub_text(&e, e.parts, (struct span){0}, NULL, &b);
    r = r < 0 ? r : elided_text(&e, e.parts, (struct span){0}, &b);
    r = r < 0 ? r : picture_name(&e, e.parts, (struct span){0}, &b);
    tell_str(o, r == -ENOMEM ? NULL : r < 0 ? "" : b.data);
    entry_room_done(&room);
}

const struct scene scene_stub = {.name = "stub", .run = run_stub, .calls = SCENE_SMALL};

/* ---------------------------------------------------------------- settings */

static int setup_config(void)
{
    return fresh_folder() && put_file("config.yaml",
                                      "images:\n  maxBytes: 400000\n  minDimension: 30\nfs_reach: [\"${cwd}\", /usr/share]\n"
                                      "network.view: true\nnetwork.allow: [\"*.example.org\", a.example]\nretention.policy: turns:3\n"
                                      "provider: mine\nmodel: big\n"
                                      "providers:\n  mine:\n    wire: openai-chat\n    baseUrl: \"http://127.0.0.1:9/v1\"\n    apiKey: sk-secret-0123456789\n"
                                      "    models:\n      \"big\": {vision: true, input: 2, output: 10}\n") == 0
               ? 0
               : -1;
}

static void tell_setting(const struct fovea_setting_now *s, void *arg)
{
    tell_str(arg, s->key);
    tell_str(arg, s->value);
    tell_str(arg, s->from);
}

static void run_config(struct outcome *o)
{
    struct fovea_fault fault = {0};
    fovea *f = NULL;
    struct fovea_options options = {.cwd = in_folder(""), .config_file = in_folder("config.yaml"), .worker_dir = build_folder()};
    int r = fovea_new(&options, &f, &fault);
    tell_fault(o, r, &fault);
    if (r == 0 && fovea_settings(f, tell_setting, o) < 0)
        tell_str(o, NULL);
    struct fovea_model m;
    for (size_t i = 0; r == 0 && o->code == 0 && fovea_model(f, i, &m) == 0; i++)
        tell_str(o, m.id);
    fovea_free(f);
}

const struct scene scene_config = {.name = "config", .setup = setup_config, .run = run_config, .teardown = drop_folder};

/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the four wires on their way in: the whole body or its bare list, one message after the other. */
#include <errno.h>
#include <string.h>

#include "base/fault.h"
#include "base/limits.h"
#include "transcript/transcript_priv.h"

static const struct wire_import *const wires[] = {&import_anthropic, &import_chat, &import_responses, &import_gemini};

const char *const transcript_wires[] = {"anthropic", "openai-chat", "openai-responses", "gemini", NULL};

const struct wire_import *wire_import_find(const char *name)
{
    for (size_t i = 0; i < COUNT(wires); i++)
        if (!strcmp(name, wires[i]->name))
            return wires[i];
    return NULL;
}

void incoming_done(struct incoming *in)
{
    for (size_t i = 0; i < in->n_blobs; i++)
        free(in->blobs[i].data);
    free(in->blobs);
    json_decref(in->places);
    json_decref(in->entries);
    *in = (struct incoming){.max_blob = in->max_blob};
}

/* What the request says beside its messages. The body is kept as it was, so what is read out of it may leave things out. */
static void open_request(struct import *im, const json_t *root)
{
    json_t *rules = json_array(), *tools = json_array();
    json_t *e = json_pack("{s:s, s:s, s:o, s:o}", "kind", "request", "wire", im->wire->name, "system", rules, "tools",
                          tools);
    if (!e || json_array_append_new(im->in->entries, e) != 0) {
        im->error = -ENOMEM;
        return;
    }
    put_new(im, e, "body", without(im, root, (const char *const[]){im->wire->list, NULL}));
    im->wire->outside(im, root, rules, tools);
    if (json_array_size(rules) == 0)
        (void)json_object_del(e, "system");
    if (json_array_size(tools) == 0)
        (void)json_object_del(e, "tools");
    if (!im->error && !entry_is_shallow(e))
        im->error = fault_set(im->fault, EINVAL, "the request is nested too deeply");
    if (!im->error && (im->error = entry_fits(e)) == -EFBIG)
        (void)fault_set(im->fault, EFBIG, "what the request says beside its \"%s\" is more than %llu bytes", im->wire->list,
                        (unsigned long long)LIMIT_ENTRY_BYTES);
}

static int check_entry(struct import *im, const json_t *entry)
{
    if (!entry_is_shallow(entry))
        return import_bad(im, ": nested too deeply");
    int r = entry_fits(entry);
    if (r == -EFBIG)
        (void)fault_set(im->fault, EFBIG, "%s[%zu]: more than %llu bytes without its pictures and documents", im->wire->list,
                        im->message, (unsigned long long)LIMIT_ENTRY_BYTES);
    return r;
}

static int import_message(struct import *im, json_t *message)
{
    size_t first = json_array_size(im->in->entries);
    int r = im->wire->message(im, message);
    if (r < 0 || im->error < 0)
        return r < 0 ? r : im->error;
    for (size_t i = first; r == 0 && i < json_array_size(im->in->entries); i++)
        r = check_entry(im, json_array_get(im->in->entries, i));
    return r;
}

/* Members that hold the words of other messages, and of whose. */
static const struct {
    unsigned bit;
    const char *member, *words;
} strangers[] = {
    {STRANGE_PARTS, "parts", "\"parts\" are gemini's"},
    {STRANGE_CALLS, "tool_calls", "\"tool_calls\" are openai-chat's"},
    {STRANGE_CONTENT, "content", "\"content\" is what anthropic, openai-chat and openai-responses have"},
    {STRANGE_TEXT, "text", "\"text\" is within a part"},
};

bool has_member(const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);
    return value && !json_is_null(value);
}

static bool has_words(const struct wire_import *wire, const json_t *message)
{
    bool has = has_member(message, wire->words);
    for (const char *const *at = wire->instead; at && *at && !has; at++)
        has = has_member(message, *at);
    return has;
}

/* A message of another wire would be taken for an empty one. Hosts add members of their own, and an answer that was cut off has no
 * words, so only what holds the words of others counts against one. */
static int check_words(struct import *im, json_t *message)
{
    bool other = has_member(message, "type") && !is_word(json_object_get(message, "type"), "message");
    if (other || has_words(im->wire, message))
        return 0;
    for (size_t i = 0; i < COUNT(strangers); i++)
        if (im->wire->strange & strangers[i].bit && has_member(message, strangers[i].member))
            return import_bad(im, ".%s: missing; %s", im->wire->words, strangers[i].words);
    return 0;
}

static int import_list(struct import *im, const json_t *list)
{
    size_t i;
    json_t *message;
    json_array_foreach(list, i, message) {
        im->message = i;
        im->pieces = 0;
        if (!json_is_object(message))
            return import_bad(im, ": an object is wanted");
        int r = check_words(im, message);
        r = r == 0 ? import_message(im, message) : r;
        if (r < 0)
            return r;
    }
    return 0;
}

/* Responses take a string where others have a list. */
static json_t *list_of(const json_t *root, const struct wire_import *wire)
{
    if (json_is_array(root))
        return json_incref((json_t *)(uintptr_t)root);
    json_t *list = json_object_get(root, wire->list);
    if (json_is_string(list) && wire == &import_responses)
        return json_pack("[{s:s, s:O}]", "role", "user", "content", list);
    return json_is_array(list) ? json_incref(list) : NULL;
}

static int import_all(struct import *im, const json_t *root)
{
    auto_json *list = list_of(root, im->wire);
    if (!list)
        return fault_set(im->fault, EINVAL, "no request of %s: neither a list nor an object whose \"%s\" is one",
                         im->wire->name, im->wire->list);
    if (json_is_object(root))
        open_request(im, root);
    int r = im->error ? im->error : import_list(im, list);
    return r == 0 ? im->error : r;
}

int incoming_request(struct incoming *in, const char *wire, const json_t *root, struct fovea_fault *fault)
{
    struct import im = {.in = in, .wire = wire_import_find(wire), .fault = fault};
    if (!im.wire)
        return fault_set(fault, EINVAL, "no such wire: \"%s\" (anthropic, openai-chat, openai-responses, gemini)", wire);
    if (!in->entries)
        in->entries = json_array();
    auto_json *calls = im.calls = json_object();
    auto_json *waiting = im.waiting = json_pack("{s:{}, s:{}}", "id", "name");
    if (!in->entries || !calls || !waiting)
        return fault_oom(fault);
    size_t before = json_array_size(in->entries);
    int r = import_all(&im, root);
    while (r < 0 && json_array_size(in->entries) > before)
        (void)json_array_remove(in->entries, json_array_size(in->entries) - 1);
    return r == -ENOMEM ? fault_oom(fault) : r;
}

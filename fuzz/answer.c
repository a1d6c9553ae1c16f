/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any schema, looked at for each vendor, and any answer to it: the first line is one, the rest the other.
 * about: src/ask/ask_json.c src/ask/ask_schema.c
 */
#include "fuzz.h"

#include "ask/ask_priv.h"
#include "base/limits.h"

static void judge(const json_t *document, const char *text)
{
    auto_buf words = BUF_INIT(LIMIT_ASK_WORDS);
    struct schema *s = NULL;
    struct ask_json j = {0};
    if (schema_new(document, NULL, &s, NULL))
        return;
    int r = ask_json_read(s, text, &j, &words);
    CLAIM(r == 1 ? !j.value && *words.data : json_is_object(j.value) && *j.text == '{' && j.text[j.len - 1] == '}');
    json_decref(j.value);
    schema_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct wire *const wires[] = {&wire_anthropic, &wire_openai_chat, &wire_openai_responses, &wire_gemini};
    const uint8_t *line = len ? memchr(data, '\n', len) : NULL;
    json_t *document = line ? json_loadb((const char *)data, (size_t)(line - data), 0, NULL) : NULL;
    auto_free char *text = line ? strndup((const char *)line, len - (size_t)(line - data)) : NULL;
    for (size_t i = 0; document && i < COUNT(wires); i++) {
        struct host h = {.wire = wires[i], .structured = true};
        (void)ask_schema_form(&h, document);
    }
    if (document && text)
        judge(document, text);
    json_decref(document);
    return 0;
}

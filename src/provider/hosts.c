/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How hosts behave. Of those that are known by name, what they were not seen to take (structured output at Nous, PDF and video
 * at local servers) is not sent. Of any other nothing is known but what the user says of its models, and that is taken at
 * its word.
 */
#include "provider/hosts.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

/* The first row that fits is the host's. Without a name it is anybody's, without a wire it is for all that are left. */
static const struct row {
    const char *name;
    const struct wire *wire;
    struct host flags;
} rows[] = {
    {"openai", &wire_openai_chat, {.structured = true, .pdf = true, .openai = true, .new_max_tokens = true}},
    {"openai", &wire_openai_responses, {.structured = true, .pdf = true, .openai = true}},
    {"openrouter", &wire_openai_chat,
     {.headers = "x-openrouter-title: fovea\n", .structured = true, .pdf = true, .video = true,
      .pdf_plugin = true, .route_schema = true}},
    {"anthropic", &wire_openai_chat, {.structured = false}}, /* its stand-in for that wire passes schemas over */
    {"google", &wire_openai_chat, {.structured = true}},
    {"vllm", &wire_openai_chat, {.structured = true, .video = true}},
    /* On this wire they are plain servers. Others they speak too, but neither PDF nor schemas on them. */
    {"ollama", &wire_openai_chat, {.structured = true}},
    {"llama.cpp", &wire_openai_chat, {.structured = true}},
    {"lm-studio", &wire_openai_chat, {.structured = true}},
    {"nous", NULL, {0}},
    {"vllm", NULL, {0}},
    {"ollama", NULL, {0}},
    {"llama.cpp", NULL, {0}},
    {"lm-studio", NULL, {0}},
    {NULL, &wire_anthropic, {.structured = true, .pdf = true}},
    {NULL, &wire_openai_responses, {.structured = true, .pdf = true}},
    {NULL, &wire_gemini, {.structured = true, .pdf = true, .video = true}},
    {NULL, NULL, {.structured = true, .pdf = true, .video = true}},
};

static const struct host *flags_of(const char *name, const struct wire *wire)
{
    size_t i = 0;
    while ((rows[i].name && strcmp(rows[i].name, name) != 0) || (rows[i].wire && rows[i].wire != wire))
        i++; /* the last fits all */
    return &rows[i].flags;
}

static int parse_auth(const char *word, enum host_auth *ret)
{
    static const char *const words[HOST_AUTHS] = {"none", "bearer", "x-api-key", "x-goog-api-key"};
    for (size_t i = 0; i < HOST_AUTHS; i++) {
        if (!strcmp(words[i], word)) {
            *ret = (enum host_auth)i;
            return 0;
        }
    }
    return -EINVAL;
}

int host_make(const struct host_place *place, struct host *ret)
{
    const struct wire *wire = wire_find(place->wire);
    enum host_auth auth = wire == &wire_anthropic ? HOST_X_API_KEY : wire == &wire_gemini ? HOST_X_GOOG_API_KEY : HOST_BEARER;
    if (!wire || (place->auth && parse_auth(place->auth, &auth) < 0))
        return -EINVAL;
    *ret = *flags_of(place->name, wire);
    ret->name = place->name;
    ret->base_url = place->base_url;
    ret->wire = wire;
    ret->auth = place->keyless ? HOST_NO_AUTH : auth;
    return 0;
}

/* 127.a.b.c in plain decimal and nothing else: "127.0.0.08" is no address, and would be looked up as a name. */
static bool is_loopback4(const char *name, size_t len)
{
    int dots = 0, digits = 0, value = 0;
    if (len < 9 || memcmp(name, "127.", 4))
        return false;
    for (size_t i = 0; i <= len; i++) {
        if (i == len || name[i] == '.') {
            if (!digits || value > 255)
                return false;
            dots += i < len;
            digits = value = 0;
        } else {
            if (!isdigit((unsigned char)name[i]) || ++digits > 3 || (digits > 1 && !value))
                return false;
            value = value * 10 + name[i] - '0';
        }
    }
    return dots == 3;
}

static bool is_this_machine(const char *name, size_t len)
{
    return (len == 9 && !strncasecmp(name, "localhost", 9)) || (len == 5 && !memcmp(name, "[::1]", 5)) ||
           is_loopback4(name, len);
}

const char *host_url_fault(const char *url)
{
    bool tls = !strncasecmp(url, "https://", 8);
    if (!tls && strncasecmp(url, "http://", 7))
        return "it must start with https://";
    for (const char *c = url; *c; c++)
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f || strchr("\\\"<>^`{|}", *c))
            return "it has a character that no URL has";
    const char *authority = url + (tls ? 8 : 7);
    size_t len = strcspn(authority, "/?#");
    if (memchr(authority, '@', len))
        return "it must not hold a user or password";
    if (strpbrk(authority, "?#"))
        return "it must not hold a query or fragment";
    size_t name = *authority == '[' ? strcspn(authority, "]") + 1 : strcspn(authority, ":/");
    if (!len || !name || name > len || (name < len && authority[name] != ':') ||
        strspn(authority + name + (name < len), "0123456789") != len - name - (name < len))
        return "its host cannot be read";
    if (!tls && !is_this_machine(authority, name))
        return "without TLS only this machine may be asked: use https://";
    return NULL;
}

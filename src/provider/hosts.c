/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hosts that have a name of their own. Unknown means no: what a host was not seen to take (structured output at Nous,
 * PDF and video at local servers) is not sent, and the flags of a config may say otherwise.
 */
#include "provider/hosts.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

static const struct host hosts[] = {
    {.name = "anthropic", .base_url = "https://api.anthropic.com", .wire = &wire_anthropic, .auth = HOST_X_API_KEY,
     .key_env = "ANTHROPIC_API_KEY", .webp = true, .structured = true, .tool_images = true, .pdf = true},
    {.name = "openai", .base_url = "https://api.openai.com/v1", .wire = &wire_openai_responses, .auth = HOST_BEARER,
     .key_env = "OPENAI_API_KEY", .webp = true, .structured = true, .tool_images = true, .pdf = true,
     .new_max_tokens = true},
    {.name = "gemini", .base_url = "https://generativelanguage.googleapis.com/v1beta", .wire = &wire_gemini,
     .auth = HOST_X_GOOG_API_KEY, .key_env = "GEMINI_API_KEY", .webp = true, .structured = true, .tool_images = true,
     .pdf = true, .video = true},
    {.name = "openrouter", .base_url = "https://openrouter.ai/api/v1", .wire = &wire_openai_chat, .auth = HOST_BEARER,
     .headers = "x-openrouter-title: fovea\n", .key_env = "OPENROUTER_API_KEY", .webp = true, .structured = true,
     .tool_images = true, .pdf = true, .video = true, .cost = true, .pdf_plugin = true, .route_schema = true},
    {.name = "nous", .base_url = "https://inference-api.nousresearch.com/v1", .wire = &wire_openai_chat,
     .auth = HOST_BEARER, .key_env = "NOUS_API_KEY", .webp = true, .tool_images = true},
    {.name = "ollama", .base_url = "http://localhost:11434/v1", .wire = &wire_openai_chat, .webp = true,
     .structured = true},
    {.name = "llama.cpp", .base_url = "http://localhost:8080/v1", .wire = &wire_openai_chat, .structured = true},
    {.name = "vllm", .base_url = "http://localhost:8000/v1", .wire = &wire_openai_chat, .webp = true,
     .structured = true, .video = true},
    {.name = "lm-studio", .base_url = "http://localhost:1234/v1", .wire = &wire_openai_chat, .webp = true,
     .structured = true},
};

const struct host *host_at(size_t index)
{
    return index < COUNT(hosts) ? &hosts[index] : NULL;
}

const struct host *host_find(const char *name)
{
    if (!name)
        return NULL;
    if (!strcmp(name, "google"))
        name = "gemini";
    for (size_t i = 0; i < COUNT(hosts); i++)
        if (!strcmp(hosts[i].name, name))
            return &hosts[i];
    return NULL;
}

/* The vendor's own wires are taken at their word; a chat server may be anything. */
struct host host_custom(const char *name, const char *base_url, const struct wire *wire)
{
    struct host h = {.auth = HOST_BEARER, .structured = true};
    for (size_t i = 0; i < COUNT(hosts); i++) {
        if (hosts[i].wire == wire && wire != &wire_openai_chat) {
            h = hosts[i];
            break;
        }
    }
    h.name = name;
    h.base_url = base_url;
    h.wire = wire;
    h.key_env = NULL;
    return h;
}

int host_auth_parse(const char *word, enum host_auth *ret)
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

/* 127.a.b.c in plain decimal and nothing else. */
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
            if (!isdigit((unsigned char)name[i]) || ++digits > 3)
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

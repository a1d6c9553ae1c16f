/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders that a client names: each line is one, as a URI, or behind "!" any JSON. What a session is narrowed to are the folders that
 * another reading of file: URIs finds, and no others; a client that names nothing we know narrows it to nothing, and relative
 * paths start where we are only if that is in one of them.
 * about: mcp/roots.c
 */
#include "fuzz.h"

#include <ctype.h>
#include <strings.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "mcp/core.h"
#include "tree.h"

static fovea *library;
static struct server *server;
static char here[4096];

/* What the session was asked to be, as roots.c asks: see the Makefile. */
static struct {
    bool watched;
    unsigned calls;
    char *folders[LIMIT_ROOTS + 1];
    size_t n;
    char *start;
} asked;

int __real_fovea_session_new(fovea *f, const struct fovea_session_options *o, fovea_session **ret, struct fovea_fault *fault);
int __wrap_fovea_session_new(fovea *f, const struct fovea_session_options *o, fovea_session **ret, struct fovea_fault *fault);
int __wrap_fovea_session_new(fovea *f, const struct fovea_session_options *o, fovea_session **ret, struct fovea_fault *fault)
{
    if (!asked.watched)
        return __real_fovea_session_new(f, o, ret, fault);
    asked.calls++;
    CLAIM(o->roots);
    for (asked.n = 0; o->roots[asked.n]; asked.n++) {
        CLAIM(asked.n < LIMIT_ROOTS);
        asked.folders[asked.n] = strdup(o->roots[asked.n]);
    }
    asked.start = o->cwd ? strdup(o->cwd) : NULL;
    return __real_fovea_session_new(f, o, ret, fault);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const struct server_options options = {0};
    struct fovea_options quiet = {.config_file = ""};
    struct fovea_fault fault = {0};
    static struct tree tree;
    (void)argc;
    (void)argv;
    CLAIM(tree_init(&tree, "-") == 0 && getcwd(here, sizeof here));
    quiet.cwd = tree.top;
    CLAIM(fovea_new(&quiet, &library, &fault) == 0 && server_new(library, &options, &server, &fault) == 0);
    tree_done(&tree);
    return 0;
}

/* The folder of a URI: "file:" and a path, or "//", nobody or localhost, and a path that does not begin with two slashes. NULL: none. */
static char *folder_of(const json_t *uri)
{
    const char *s = json_string_value(uri);
    unsigned byte = 0;
    if (!s || strlen(s) != json_string_length(uri) || strncasecmp(s, "file:", 5) != 0)
        return NULL;
    s += 5;
    bool authority = s[0] == '/' && s[1] == '/';
    s += authority ? 2 : 0;
    if (authority && !strncasecmp(s, "localhost/", 10))
        s += 9;
    else if (authority && s[0] == '/' && s[1] == '/')
        return NULL;
    if (*s != '/')
        return NULL;
    char *folder = calloc(1, strlen(s) + 1), *to = folder;
    CLAIM(folder);
    for (; *s; s++) {
        bool escape = *s == '%' && isxdigit((unsigned char)s[1]) && isxdigit((unsigned char)s[2]) && sscanf(s + 1, "%2x", &byte) == 1 && byte;
        *to++ = escape ? (char)byte : *s;
        s += escape ? 2 : 0;
    }
    return folder;
}

static bool beneath(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    while (n && folder[n - 1] == '/')
        n--;
    return !strncmp(path, folder, n) && (!path[n] || path[n] == '/');
}

/* Whether the path is written as the kernel would: others are another matter. */
static bool is_plain(const char *path)
{
    return !strstr(path, "//") && !strstr(path, "/.");
}

static void check(const json_t *list)
{
    size_t n = 0;
    bool inside = false, plain = true;
    for (size_t i = 0; i < json_array_size(list) && n < LIMIT_ROOTS; i++) {
        auto_free char *folder = folder_of(json_object_get(json_array_get(list, i), "uri"));
        if (!folder)
            continue;
        CLAIM(n < asked.n && !strcmp(asked.folders[n], folder));
        inside |= beneath(here, folder);
        plain &= is_plain(folder);
        n++;
    }
    CLAIM(asked.n == n);
    CLAIM(!plain || (inside || !n ? !asked.start : asked.start && !strcmp(asked.start, asked.folders[0])));
}

static json_t *list_of(const char *text, size_t len)
{
    json_t *list = json_array();
    for (size_t at = 0, n; at < len; at += n + 1) {
        const char *line = text + at, *end = memchr(line, '\n', len - at);
        n = end ? (size_t)(end - line) : len - at;
        json_t *one = n && *line == '!' ? json_loadb(line + 1, n - 1, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL)
                                        : json_pack("{s:o*}", "uri", json_stringn(line, n));
        CLAIM(!one || json_array_append_new(list, one) == 0);
    }
    return list;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct client *c = client_new(server);
    auto_free char *text = feed_text(&(struct feed){data, len});
    auto_json *list = list_of(text, len);
    auto_json *result = json_pack("{s:O}", "roots", list);
    CLAIM(c && list && result);
    asked.calls = 0;
    asked.watched = true;
    roots_answered(c, result);
    asked.watched = false;
    CLAIM(asked.calls == (json_array_size(list) ? 1 : 0));
    if (asked.calls) {
        CLAIM(c->narrowed);
        check(list);
    }
    CLAIM(c->roots_named && c->roots_state == ROOTS_KNOWN);
    for (size_t i = 0; asked.calls && i < asked.n; i++)
        free(asked.folders[i]);
    free(asked.calls ? asked.start : NULL);
    client_free(c);
    return 0;
}

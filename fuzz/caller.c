/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may call the HTTP server, without the server: Host and Origin values before any gate, an Authorization value beside any token,
 * any file as the token's, any words as the address to listen on. Each verdict is that of another reading, which writes down what is
 * allowed and compares, or asks the system's own reader of addresses. The first byte says which of these, the second with what settings.
 * about: mcp/http_gate.c mcp/http_bind.c mcp/http_token.c
 * max_len: 1024
 */
#include "fuzz.h"

#include <arpa/inet.h>
#include <errno.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "mcp/http_bind.h"
#include "mcp/http_gate.h"
#include "mcp/http_token.h"
#include "tree.h"

static struct tree tree;
static char folder[80], file[96];

static void tidy(void)
{
    tree_done(&tree);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    CLAIM(tree_init(&tree, "fovea/") == 0);
    (void)atexit(tidy);
    (void)snprintf(folder, sizeof folder, "%sfovea", tree.top);
    (void)snprintf(file, sizeof file, "%s/token", folder);
    CLAIM(setenv("XDG_STATE_HOME", tree.top, 1) == 0);
    return 0;
}

/* ---------------------------------------------------------------- Host and Origin */

/* Whether value is scheme, name and our port, which may be left out where it is the scheme's own; the name in any case. */
static bool is_at(const struct gate *g, const char *value, const char *scheme, const char *name)
{
    char want[256];
    size_t kind = strlen(scheme);
    if (strncmp(value, scheme, kind) != 0 || !*name)
        return false;
    (void)snprintf(want, sizeof want, "%s:%u", name, g->port);
    return (g->port && !strcasecmp(value + kind, want)) || (g->port == (g->tls ? 443 : 80) && !strcasecmp(value + kind, name));
}

static bool is_ours(const struct gate *g, const char *value, const char *scheme)
{
    return is_at(g, value, scheme, "localhost") || is_at(g, value, scheme, "127.0.0.1") || is_at(g, value, scheme, "[::1]") ||
           is_at(g, value, scheme, g->bound ? g->bound : "");
}

static void claim_gate(unsigned how, const char *value)
{
    static const char *const hosts[] = {"proxy.example", "other.example:8443", "", NULL};
    static const char *const origins[] = {"https://page.example", "null", "", NULL};
    static const char *const bound[] = {NULL, "127.0.0.1", "192.168.1.7", "[fe80::7]"};
    static const uint16_t ports[] = {80, 443, 8080, 65535};
    struct gate g = {.port = ports[how >> 2 & 3], .tls = how & 16, .bound = bound[how & 3],
                     .hosts = how & 32 ? hosts : NULL, .origins = how & 64 ? origins : NULL};
    bool host = is_ours(&g, value, ""), origin = is_ours(&g, value, g.tls ? "https://" : "http://"), listed = false;
    for (size_t i = 0; g.hosts && g.hosts[i]; i++)
        host |= is_at(&g, value, "", g.hosts[i]) || (*g.hosts[i] && !strcasecmp(value, g.hosts[i]));
    for (size_t i = 0; g.origins && g.origins[i]; i++)
        listed |= *g.origins[i] && !strcmp(value, g.origins[i]);
    CLAIM(gate_host(&g, value) == host);
    CLAIM(gate_origin(&g, value) == (origin || listed));
    const char *foreign = gate_foreign(&g, value);
    CLAIM(listed ? foreign && !strcmp(foreign, value) : !foreign);
}

/* ---------------------------------------------------------------- the token */

/* The first line is the token, the rest is the header's value. */
static void claim_bearer(char *text)
{
    char *line = strchr(text, '\n'), want[1100];
    const char *value = line ? line + 1 : "";
    if (line)
        *line = '\0';
    int n = snprintf(want, sizeof want, "bearer %s", text);
    CLAIM(n > 0 && (size_t)n < sizeof want);
    CLAIM(gate_bearer(value, text) == (!strncasecmp(value, want, 7) && strlen(value) >= 7 && !strcmp(value + 7, want + 7)));
}

/* A file that only we can read, with a line that may end with a newline and has nothing else. */
static bool is_token(const char *s, size_t len, mode_t mode)
{
    len -= len && s[len - 1] == '\n';
    for (size_t i = 0; i < len; i++)
        if (s[i] < '!' || s[i] > '~')
            return false;
    return !(mode & 077) && len >= 32 && len <= LIMIT_HTTP_TOKEN;
}

/* It says on stderr where the token is, each time. */
static int load_quietly(char **ret, struct fovea_fault *fault)
{
    static FILE *nowhere;
    FILE *was = stderr;
    nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
    CLAIM(nowhere);
    stderr = nowhere;
    int r = token_load(ret, fault);
    stderr = was;
    return r;
}

static void claim_file(unsigned how, const char *s, size_t len)
{
    static const mode_t modes[] = {0600, 0400, 0640, 0604, 0700, 0602};
    mode_t mode = modes[how % COUNT(modes)], open = how & 128 ? 0770 : 0700;
    struct fovea_fault fault = {0};
    auto_free char *token = NULL;
    (void)unlink(file);
    auto_close int fd = creat(file, 0600);
    CLAIM(fd >= 0 && write(fd, s, len) == (ssize_t)len && fchmod(fd, mode) == 0 && chmod(folder, open) == 0);
    int r = load_quietly(&token, &fault);
    bool good = is_token(s, len, mode) && open == 0700;
    CLAIM(good == (r == 0));
    if (good)
        CLAIM(strlen(token) == len - (s[len - 1] == '\n') && !memcmp(token, s, strlen(token)));
    else
        CLAIM(!token && fault.code == r && r == (mode & 077 || open != 0700 ? -EPERM : -EINVAL) && strstr(fault.text, "token"));
}

/* ---------------------------------------------------------------- where to listen */

struct where {
    bool good, inside; /* inside: nobody else can reach it */
};

static struct where read_where(const char *address)
{
    struct in_addr v4;
    struct in6_addr v6;
    char host[64];
    const char *port = strrchr(address, ':');
    size_t n = port ? (size_t)(port - address) : 0, digits = port ? strspn(port + 1, "0123456789") : 0;
    if (!n || n >= sizeof host + 2 || digits < 1 || digits > 5 || port[1 + digits] || strtoul(port + 1, NULL, 10) > 65535)
        return (struct where){0};
    bool brackets = n > 2 && address[0] == '[' && address[n - 1] == ']';
    (void)snprintf(host, sizeof host, "%.*s", (int)(n - 2 * brackets), address + brackets);
    if (brackets && inet_pton(AF_INET6, host, &v6) == 1)
        return (struct where){true, !memcmp(&v6, &in6addr_loopback, sizeof v6)};
    if (!brackets && !strcasecmp(host, "localhost"))
        return (struct where){true, true};
    if (!brackets && inet_pton(AF_INET, host, &v4) == 1)
        return (struct where){true, *(const uint8_t *)&v4 == 127};
    return (struct where){0};
}

static void claim_place(const char *address)
{
    struct where w = read_where(address);
    struct place p = {0};
    struct fovea_fault fault = {0};
    CLAIM(place_valid(address) == w.good);
    if (w.inside) /* that would be listened on */
        return;
    CLAIM(place_open(address, false, &p, &fault) == (w.good ? -EACCES : -EINVAL) && *fault.text && !p.port);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    unsigned which = feed_u8(&f), how = feed_u8(&f);
    auto_free char *text = feed_text(&f);
    switch (which & 3) {
    case 0:
        claim_gate(how, text);
        break;
    case 1:
        claim_bearer(text);
        break;
    case 2:
        claim_file(how, text, f.left);
        break;
    default:
        claim_place(text);
    }
    return 0;
}

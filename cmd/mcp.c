/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea mcp`: the tools for any agent that speaks the Model Context Protocol. */
#include "mcp/mcp.h"

#include <malloc.h>

#include "context.h"
#include "options.h"
#include "out.h"

struct values {
    const char *http, *main, *personality, *session, *tls_cert, *tls_key;
    struct words hosts, origins;
    bool no_token, insecure, conformance;
};

/* An option that would do nothing is a mistake of whoever gave it, and may be one about safety. */
static const char *only_for_http(const struct values *v)
{
    const struct {
        const char *name;
        bool given;
    } rows[] = {
        {"no-token", v->no_token},
        {"tls-cert", v->tls_cert},
        {"tls-key", v->tls_key},
        {"insecure", v->insecure},
        {"allow-host", v->hosts.n},
        {"allow-origin", v->origins.n},
        {"conformance", v->conformance},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].given)
            return rows[i].name;
    return NULL;
}

enum { ARENAS = 2, LARGE_BLOCK = 256 << 10 };

/* A server lives for days: few arenas, and what is large goes back to the system when it is freed. Left to itself libc raises that
 * mark with the first picture, and what threads leave behind adds up. */
static void settle_memory(void)
{
    (void)mallopt(M_ARENA_MAX, ARENAS);
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
}

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    const char *idle = v->http ? NULL : only_for_http(v);
    struct fovea_fault fault;
    auto_fovea *f = NULL;
    struct mcp_options options = {
        .main = v->main,
        .session = v->session,
        .no_webp = in->common.no_webp,
        .conformance = v->conformance,
        .http = v->http,
        .no_token = v->no_token,
        .insecure = v->insecure,
        .tls_cert = v->tls_cert,
        .tls_key = v->tls_key,
        .hosts = v->hosts.word,
        .origins = v->origins.word,
    };
    if (idle) {
        say("--%s is of no use without --http", idle);
        return EXIT_USAGE;
    }
    if (v->http && !mcp_http_valid(v->http)) {
        say("--http '%s' is no address to listen on: write it like 127.0.0.1:8080 or [::1]:8080", v->http);
        return EXIT_USAGE;
    }
    settle_memory();
    in->common.personality = v->personality;
    in->common.no_webp = false; /* each client gets what it takes */
    int r = context_open(&in->common, &f, &fault);
    int bad = r < 0 ? 0 : session_check(f, v->session);
    bad = r < 0 || bad ? bad : main_check(f, v->main);
    if (bad)
        return bad;
    r = r < 0 ? r : mcp_serve(f, &options, &fault);
    return r < 0 ? out_fault(&fault, false, EXIT_FAULT) : EXIT_DONE;
}

#define AT(member) offsetof(struct values, member)
static const struct option options[] = {
    {"http", 0, OPTION_STRING, "ADDR:PORT", AT(http),
     "serve Streamable HTTP at /mcp there instead of stdin and stdout; port 0 picks one"},
    {"main", 0, OPTION_STRING, "P/M", AT(main),
     "the model that the agent runs: pictures fit its limits, and one that sees gets them instead of answers"},
    {"personality", 0, OPTION_STRING, "ID", AT(personality),
     "offer only the tools in personalities/ID/toolset.yaml beside config.yaml, and lay the config.yaml of that folder "
     "over the other; its fs_reach narrows, never widens"},
    {"session", 0, OPTION_STRING, "NAME", AT(session), "record calls in the session of this name, with what asking costs"},
    {"no-token", 0, OPTION_FLAG, NULL, AT(no_token), "HTTP: ask for no bearer token"},
    {"tls-cert", 0, OPTION_STRING, "FILE", AT(tls_cert), "HTTP: serve TLS with this certificate (PEM)"},
    {"tls-key", 0, OPTION_STRING, "FILE", AT(tls_key), "HTTP: and this key (PEM)"},
    {"insecure", 0, OPTION_FLAG, NULL, AT(insecure),
     "HTTP: listen beyond this machine even without a token and TLS"},
    {"allow-host", 0, OPTION_LIST, "HOST", AT(hosts), "HTTP: also answer to this Host; may be repeated"},
    {"allow-origin", 0, OPTION_LIST, "ORIGIN", AT(origins), "HTTP: also answer to pages of this Origin; may be repeated"},
    {"conformance", 0, OPTION_FLAG, NULL, AT(conformance), "HTTP: add what the official conformance suite tests"},
    {0},
};

const struct command command_mcp = {
    .name = "mcp",
    .summary = "serve the tools to an agent over MCP",
    .arguments = "",
    .about = "Serves all tools over the Model Context Protocol: on stdin and stdout, as agents start it, or over "
             "HTTP. Every protocol revision from 2024-11-05 to 2026-07-28 is spoken; the client chooses. Over HTTP a "
             "bearer token is asked for; it is made on the first run and kept in $XDG_STATE_HOME/fovea/token. A client "
             "that closes its connection, or its sending half, cancels the call that it waits for.",
    .examples = "fovea mcp\n"
                "fovea mcp --root ~/project --main anthropic/claude-opus-4-7\n"
                "fovea mcp --http 127.0.0.1:8765\tfor several agents at once\n",
    .options = options,
    .values_size = sizeof(struct values),
    .context = true,
    .run = run,
};

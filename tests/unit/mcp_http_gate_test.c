/* SPDX-License-Identifier: Apache-2.0 */
/* Host, Origin and token, by the table tests/cases/http_gate.tsv. */
#include "mcp/http_gate.h"

#include <stdlib.h>

#include "base/buf.h"
#include "test.h"

/* Puts the port in for each {}. */
static void put_port(struct buf *out, const char *value, const char *port)
{
    for (const char *at; (at = strstr(value, "{}")); value = at + 2) {
        (void)buf_add(out, value, (size_t)(at - value));
        (void)buf_add_str(out, port);
    }
    (void)buf_add_str(out, value);
}

static void check_row(char *line)
{
    const char *kind = strsep(&line, "\t"), *value = strsep(&line, "\t"), *port = strsep(&line, "\t");
    auto_buf text = BUF_INIT(1024);
    CHECK(line != NULL);
    if (!line)
        return;
    put_port(&text, value, port);
    struct gate g = {.port = (uint16_t)strtoul(port, NULL, 10), .tls = strstr(kind, "-tls") != NULL};
    bool got = !strncmp(kind, "host", 4) ? gate_host(&g, text.data) : gate_origin(&g, text.data);
    CHECK_MSG(got == !strcmp(line, "yes"), "%s '%s'", kind, text.data);
}

TEST(hosts_and_origins_are_let_in_by_the_table_and_no_other)
{
    FILE *f = fopen("tests/cases/http_gate.tsv", "re");
    char *line = NULL;
    size_t room = 0;
    int rows = 0;
    CHECK(f != NULL);
    if (!f)
        return;
    while (getline(&line, &room, f) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (*line == '#')
            continue;
        check_row(line);
        rows++;
    }
    CHECK(rows >= 60);
    free(line);
    fclose(f);
}

TEST(a_bound_address_and_allowed_names_are_hosts_too)
{
    static const char *const hosts[] = {"fovea.example", "proxy.example:8443", "", NULL};
    static const char *const origins[] = {"https://app.example", "", NULL};
    struct gate g = {.port = 8080, .bound = "192.168.1.5", .hosts = hosts, .origins = origins};
    CHECK(gate_host(&g, "192.168.1.5:8080"));
    CHECK(gate_origin(&g, "http://192.168.1.5:8080"));
    CHECK(gate_host(&g, "fovea.example") && gate_host(&g, "Fovea.Example:8080"));
    CHECK(!gate_host(&g, "fovea.example:81") && !gate_host(&g, "fovea.example.:8080"));
    CHECK(gate_host(&g, "proxy.example:8443") && !gate_host(&g, "proxy.example"));
    CHECK(!gate_host(&g, "") && !gate_host(&g, ":8080"));
    CHECK(gate_origin(&g, "https://app.example"));
    CHECK(!gate_origin(&g, "https://app.example/") && !gate_origin(&g, "https://app.example:443"));
    CHECK(!gate_origin(&g, "") && !gate_origin(&g, "http://fovea.example:8080"));
}

TEST(a_token_is_compared_whole)
{
    CHECK(gate_bearer("Bearer abc123", "abc123") && gate_bearer("bearer abc123", "abc123"));
    static const char *const bad[] = {"", "Bearer", "Bearer ", "Bearer abc12", "Bearer abc1234", "Bearer abc124",
                                      "Bearer abc123abc123", "Bearer  abc123", "Basic abc123", "abc123", "Bearer abc123 "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_MSG(!gate_bearer(bad[i], "abc123"), "'%s'", bad[i]);
    CHECK(!gate_bearer("Bearer x", "")); /* nor is there anything behind an empty one */
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wire cases: one text file a case, in sections that start with "== NAME". What a section says must be so exactly.
 *
 *   == request     lines: host, model, instructions, schema, strict, effort, max, full, stream; then turns:
 *                  user|assistant, each followed by: text WORDS | image TYPE BYTES | pdf NAME BYTES | video TYPE BYTES |
 *                  video_url URL. \n in words is a line break.
 *   == path        what follows the base URL
 *   == headers     all of them, with the key "KEY-0000"
 *   == body        the request's bytes
 *   == fails       the code that building the body ends with instead
 *   == reply N     a status and the answer's header lines, a blank line, and the answer's bytes
 *   == outcome     what came of it, as outcome() in wire_test.c writes it
 */
#ifndef FOVEA_WIRE_CASE_H
#define FOVEA_WIRE_CASE_H

#include "model/table.h"
#include "provider/hosts.h"
#include "provider/wire.h"

#define CASE_KEY "KEY-0000"

struct wire_case {
    char *text; /* of the file, cut up in place */
    struct wire_part parts[16];
    struct wire_turn turns[8];
    size_t part_count;
    struct wire_request request;
    json_t *schema;
    const char *path, *headers, *body, *fails, *reply, *outcome;
    int status;
    const char *reply_headers;
};

/* A host that ships, over its own wire or another. Static: good until the next. */
static const struct host *case_host(const char *name, const char *wire)
{
    static struct host h;
    size_t len;
    const char *own = provider_name(name, strlen(name), &len);
    for (size_t i = 0; i < provider_table_count; i++) {
        const struct provider *p = &provider_table[i];
        struct host_place at = {p->name, p->base_url, wire ? wire : p->wire, p->auth, p->auth_none};
        if (!strcmp(p->name, own) && !host_make(&at, &h))
            return &h;
    }
    return NULL;
}

static char *case_slurp(const char *path)
{
    auto_buf b = BUF_INIT(1 << 20);
    FILE *f = fopen(path, "rb");
    char piece[4096];
    if (!f)
        return NULL;
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;)
        (void)buf_add(&b, piece, n);
    (void)fclose(f);
    return buf_take(&b);
}

/* \n in place. */
static char *case_words(char *s)
{
    char *to = s;
    for (char *from = s; *from; from++) {
        bool escape = from[0] == '\\' && from[1] == 'n';
        *to++ = escape ? '\n' : *from;
        from += escape;
    }
    *to = '\0';
    return s;
}

/* "TYPE REST" of a part with bytes; the rest is the bytes. */
static void case_data(struct wire_part *p, char *value, bool named)
{
    char *bytes = value + strcspn(value, " ");
    *bytes++ = '\0';
    p->media_type = named ? "application/pdf" : value;
    p->name = named && strcmp(value, "-") ? value : NULL;
    p->data = bytes;
    p->len = strlen(bytes);
}

static void case_part(struct wire_case *c, const char *kind, char *value)
{
    static const char *const kinds[WIRE_KINDS] = {"text", "image", "pdf", "video", "video_url"};
    struct wire_turn *t = &c->turns[c->request.count - 1];
    struct wire_part *p = &c->parts[c->part_count++];
    for (int i = 0; i < WIRE_KINDS; i++)
        if (!strcmp(kinds[i], kind))
            p->kind = (enum wire_kind)i;
    if (p->kind == WIRE_TEXT)
        p->text = case_words(value);
    else if (p->kind == WIRE_VIDEO_URL)
        p->url = value;
    else
        case_data(p, value, p->kind == WIRE_PDF);
    if (!t->count++)
        t->parts = p;
}

static void case_line(struct wire_case *c, char *line)
{
    struct wire_request *q = &c->request;
    char *value = line + strcspn(line, " ");
    if (*value)
        *value++ = '\0';
    if (!strcmp(line, "host"))
        q->host = case_host(value, NULL);
    else if (!strcmp(line, "wire")) /* of the host, another than its own */
        q->host = case_host(q->host->name, value);
    else if (!strcmp(line, "model"))
        q->model = value;
    else if (!strcmp(line, "instructions"))
        q->instructions = case_words(value);
    else if (!strcmp(line, "schema"))
        q->schema = c->schema = json_loads(value, 0, NULL);
    else if (!strcmp(line, "strict"))
        q->strict = true;
    else if (!strcmp(line, "effort"))
        q->effort = *value == 'l' ? WIRE_EFFORT_LOW : *value == 'm' ? WIRE_EFFORT_MEDIUM : WIRE_EFFORT_HIGH;
    else if (!strcmp(line, "max"))
        q->max_output = strtoll(value, NULL, 10);
    else if (!strcmp(line, "full"))
        q->full_detail = true;
    else if (!strcmp(line, "stream"))
        q->stream = true;
    else if (!strcmp(line, "user") || !strcmp(line, "assistant"))
        c->turns[q->count++].role = *line == 'u' ? WIRE_USER : WIRE_ASSISTANT;
    else
        case_part(c, line, value);
}

static void case_request(struct wire_case *c, char *section)
{
    c->request.turns = c->turns;
    for (char *line = section, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (*line && *line != '#')
            case_line(c, line);
    }
}

/* Header lines, a blank one, the bytes. */
static void case_reply(struct wire_case *c, char *section)
{
    char *bytes = *section == '\n' ? section : strstr(section, "\n\n");
    c->reply_headers = bytes == section ? "" : section;
    c->reply = "";
    if (bytes) {
        c->reply = bytes + (bytes == section ? 1 : 2);
        *bytes = '\0';
    }
}

static void case_section(struct wire_case *c, char *name, char *section)
{
    if (!strcmp(name, "request"))
        case_request(c, section);
    else if (!strncmp(name, "reply ", 6)) {
        c->status = (int)strtol(name + 6, NULL, 10);
        case_reply(c, section);
    } else
        *(!strcmp(name, "path") ? &c->path : !strcmp(name, "headers") ? &c->headers : !strcmp(name, "body") ? &c->body
          : !strcmp(name, "fails") ? &c->fails : &c->outcome) = section;
}

/* Cuts the file up. false when it is no case. */
static bool case_read(struct wire_case *c, const char *path)
{
    *c = (struct wire_case){.text = case_slurp(path)};
    char *at = c->text && !strncmp(c->text, "== ", 3) ? c->text : c->text ? strstr(c->text, "\n== ") : NULL;
    if (at && *at == '\n')
        at++;
    while (at) {
        char *name = at + 3, *section = name + strcspn(name, "\n");
        at = strstr(section, "\n== ");
        if (at)
            *at++ = '\0';
        if (*section)
            *section++ = '\0';
        size_t len = strlen(section);
        if (!at && len && section[len - 1] == '\n')
            section[len - 1] = '\0';
        case_section(c, name, section);
    }
    return c->request.host && c->request.host->wire;
}

static void case_done(struct wire_case *c)
{
    free(c->text);
    json_decref(c->schema);
}

#endif

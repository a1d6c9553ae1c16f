/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_loop SESSION PROVIDER/MODEL: a host in C that keeps its conversation in fovea.
 *     cc agent_loop.c $(pkg-config --cflags --libs fovea jansson) -o agent_loop
 * Every line of stdin is the user's; "/view PATH" shows a picture to the model. What would be sent to it goes to stdout, and the
 * next line is taken for its answer: put your HTTP client there.
 */
#include <fovea.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fovea_fault fault;

/* Appends {"kind": kind, "parts": [{"type": "text", "text": text}]}: on disk when this returns 0. */
static int append(fovea_session *s, const char *kind, const char *text)
{
    struct fovea_appended at;
    json_t *entry = json_pack("{s:s, s:[{s:s, s:s}]}", "kind", kind, "parts", "type", "text", "text", text);
    char *json = json_dumps(entry, JSON_COMPACT);
    int r = json ? fovea_session_append(s, json, strlen(json), NULL, &at, &fault) : -1;
    free(json);
    json_decref(entry);
    return r;
}

/* What the model sees beside the words: a view is recorded by being made. */
static int look(fovea_session *s, const char *path)
{
    fovea_result *result = NULL;
    int r = fovea_session_ask(s, "view", &(struct fovea_view_request){.path = path}, NULL, &result, &fault);
    if (r == 0)
        fprintf(stderr, "%s\n", fovea_result_text(result)); /* a note, or a refusal that says what to do */
    fovea_result_free(result);
    return r;
}

/* The request comes in pieces; none is larger than one picture. */
static int send_piece(void *arg, const char *piece, size_t len)
{
    return fwrite(piece, 1, len, arg) == len ? 0 : -5; /* -EIO */
}

static char *next_line(char line[], int size)
{
    if (!fgets(line, size, stdin))
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    return line;
}

static int talk(fovea_session *s, const char *model)
{
    char line[4096];
    struct fovea_lowered lowered;
    const struct fovea_lower_request next = {.model = model, .full = true};
    int r = 0;
    while (r >= 0 && next_line(line, sizeof line)) {
        r = append(s, "user", line);
        if (r >= 0 && !strncmp(line, "/view ", 6))
            r = look(s, line + 6);
        if (r >= 0)
            r = fovea_lower(s, &next, send_piece, stdout, &lowered, &fault);
        puts("");
        if (r >= 0 && next_line(line, sizeof line)) /* your HTTP client */
            r = append(s, "assistant", line);
    }
    return r;
}

int main(int argc, char **argv)
{
    fovea *f = NULL;
    fovea_session *s = NULL;
    if (argc != 3)
        return 2;
    int r = fovea_new(NULL, &f, &fault);
    if (r >= 0)
        r = fovea_session_new(f, &(struct fovea_session_options){.name = argv[1], .main = argv[2]}, &s, &fault);
    if (r >= 0)
        r = talk(s, argv[2]);
    if (r < 0)
        fprintf(stderr, "%s\n", fault.text);
    fovea_session_free(s);
    fovea_free(f);
    return r < 0;
}

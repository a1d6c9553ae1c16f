/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to stdin, in pieces of any size: each line that is not blank gets what one message is owed and nothing else does, each answer
 * is one line of JSON, and it makes no difference where the bytes are cut.
 * about: mcp/lines.c mcp/find_id.c mcp/message.c
 */
#include "fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "mcp/core.h"
#include "mcp/lines.h"
#include "tree.h"

enum { PIECES = 200, PIECE = 4096 };

static fovea *library;
static struct server *server;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const struct server_options options = {0};
    struct fovea_options quiet = {.config_file = ""};
    struct fovea_fault fault = {0};
    static struct tree tree;
    (void)argc;
    (void)argv;
    (void)signal(SIGPIPE, SIG_IGN);
    CLAIM(tree_init(&tree, "-") == 0);
    quiet.cwd = tree.top;
    CLAIM(fovea_new(&quiet, &library, &fault) == 0 && server_new(library, &options, &server, &fault) == 0);
    tree_done(&tree);
    return 0;
}

/* Each piece is a packet: it is read alone. */
static void fill(int fd, const uint8_t *data, size_t len, size_t piece)
{
    while (len) {
        size_t n = MIN(len, piece);
        CLAIM(write(fd, data, n) == (ssize_t)n);
        data += n;
        len -= n;
    }
}

/* What comes out; the caller frees. */
static char *answers(const uint8_t *data, size_t len, size_t piece)
{
    int in[2];
    auto_close int out = memfd_create("answers", MFD_CLOEXEC), was = dup(STDIN_FILENO), stop = eventfd(0, EFD_CLOEXEC),
                   broken = eventfd(0, EFD_CLOEXEC);
    CLAIM(out >= 0 && stop >= 0 && broken >= 0 && pipe2(in, O_CLOEXEC | O_DIRECT) == 0 && fcntl(in[1], F_SETPIPE_SZ, 1 << 20) > 0);
    fill(in[1], data, len, piece);
    CLAIM(dup2(in[0], STDIN_FILENO) == STDIN_FILENO && close(in[0]) == 0 && close(in[1]) == 0);
    struct stdio io = {.out = out, .stop = stop, .broken = broken};
    CLAIM(stdio_run(server, &io));
    if (was >= 0)
        (void)dup2(was, STDIN_FILENO);
    off_t size = lseek(out, 0, SEEK_END);
    char *text = malloc((size_t)size + 1);
    CLAIM(text && pread(out, text, (size_t)size, 0) == size);
    text[size] = '\0';
    return text;
}

static bool is_blank(const char *s, size_t len)
{
    while (len && (s[len - 1] == ' ' || s[len - 1] == '\t' || s[len - 1] == '\r'))
        len--;
    return !len;
}

/* Answers that a line is owed; -1: a batch, which may have one or none. */
static int owed(const char *line, size_t len)
{
    struct rpc_error error = {0};
    struct message m = {0};
    auto_json *id = NULL;
    if (is_blank(line, len))
        return 0;
    auto_json *root = message_load(line, len, &id, &error);
    if (json_is_array(root))
        return -1;
    bool fine = root && message_read(root, &m, &error) == 0;
    return fine ? m.kind == MESSAGE_REQUEST : !(root && m.kind == MESSAGE_NOTIFICATION);
}

/* Every line is one message with a version. */
static int count(const char *text)
{
    int n = 0;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1, n++) {
        json_t *m = json_loadb(text, (size_t)(end - text), JSON_ALLOW_NUL, NULL);
        CLAIM(m);
        json_decref(m);
    }
    CLAIM(!*text);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    size_t piece = 1 + feed_u8(&f);
    int least = 0, most = 0;
    if (f.left > PIECE || f.left / piece >= PIECES || memmem(f.at, f.left, "tools", 5))
        return 0; /* what runs beside would answer in any order */
    auto_free char *cut = answers(f.at, f.left, piece), *whole = answers(f.at, f.left, PIECE);
    CLAIM(!strcmp(cut, whole));
    for (size_t at = 0, n; at < f.left; at += n + 1) {
        const char *line = (const char *)f.at + at, *end = memchr(line, '\n', f.left - at);
        n = end ? (size_t)(end - line) : f.left - at;
        int want = owed(line, n);
        least += MAX(want, 0);
        most += want < 0 ? 1 : want;
    }
    int got = count(whole);
    CLAIM(got >= least && got <= most);
    return 0;
}

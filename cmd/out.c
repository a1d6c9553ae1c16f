/* SPDX-License-Identifier: Apache-2.0 */
/* Writing, in full or with words about why not: see out.h. */
#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "base/io.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/text.h"
#include "command.h"

/* Opened the wrong way round, so that using a stream that the caller closed still fails. */
void streams_init(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            /* cppcheck-suppress leakReturnValNotUsed ; it is to stay, at the lowest number that is free */
            (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    (void)signal(SIGPIPE, SIG_IGN);
}

int out(const void *data, size_t len)
{
    int r = write_all(STDOUT_FILENO, data, len);
    if (r == 0)
        return EXIT_DONE;
    if (r == -EPIPE)
        return EXIT_REFUSED;
    say("cannot write to stdout: %s", strerror(-r));
    return EXIT_FAULT;
}

int out_str(const char *s)
{
    return out(s, strlen(s));
}

int out_buf(const struct buf *b)
{
    if (!b->error)
        return out(b->data, b->len);
    say("%s", b->error == -ENOMEM ? "out of memory" : "the answer is too long to write");
    return EXIT_FAULT;
}

const char *part_of(struct buf *whole, const struct buf *part)
{
    if (part->error)
        whole->error = part->error;
    return part->data ? part->data : "";
}

size_t buf_add_json_shown(struct buf *b, const char *json, size_t len, bool last)
{
    const char *at = json, *end = json + len;
    while (at < end && !b->error) {
        uint32_t c;
        size_t n = utf8_decode(at, (size_t)(end - at), &c);
        if (!n && !last && (unsigned char)*at >= 0xc2 && end - at < 4)
            break;
        if (!n || !char_acts(c) || c == '\n')
            (void)buf_add(b, at, n ? n : 1);
        else if (c > 0xffff)
            (void)buf_add_format(b, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
        else
            (void)buf_add_format(b, "\\u%04x", c);
        at += n ? n : 1;
    }
    return (size_t)(at - json);
}

int out_json(char *json)
{
    auto_free char *line = json;
    auto_buf shown = BUF_INIT(LIMIT_CLI_ANSWER);
    bool terminal = line && isatty(STDOUT_FILENO);
    if (!line) {
        say("out of memory");
        return EXIT_FAULT;
    }
    if (terminal)
        (void)buf_add_json_shown(&shown, line, strlen(line), true);
    int r = terminal ? out_buf(&shown) : out_str(line);
    return r ? r : out("\n", 1);
}

/* One write a line, so that lines of several programs do not mix. Without memory for the words there are still some. */
__attribute__((format(printf, 2, 0))) static void say_line(const char *prefix, const char *format, va_list args)
{
    static const char no_memory[] = "fovea: out of memory\n";
    auto_buf words = BUF_INIT(LIMIT_CLI_WORDS), line = BUF_INIT(LIMIT_CLI_WORDS * 12);
    char *text = buf_reserve(&words, LIMIT_CLI_WORDS - 1);
    if (text) {
        (void)vsnprintf(text, LIMIT_CLI_WORDS, format, args);
        (void)buf_add_str(&line, prefix);
        (void)buf_add_shown(&line, text, LIMIT_CLI_WORDS);
    }
    if (text && buf_add_str(&line, "\n") == 0)
        (void)write_all(STDERR_FILENO, line.data, line.len);
    else
        (void)write_all(STDERR_FILENO, no_memory, sizeof no_memory - 1);
}

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_line("fovea: ", format, args);
    va_end(args);
}

void say_plain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_line("", format, args);
    va_end(args);
}

int out_fault(const struct fovea_fault *fault, bool json, int code)
{
    auto_buf b = BUF_INIT(LIMIT_CLI_WORDS);
    say("%s", fault->text);
    if (!json)
        return code;
    (void)buf_add_str(&b, "{\"ok\":false,\"kind\":\"fault\",\"error\":");
    (void)buf_add_json_str(&b, fault->text);
    (void)buf_add_str(&b, "}\n");
    int r = out_buf(&b);
    return r ? r : code;
}

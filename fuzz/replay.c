/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target without a fuzzer: gives it what was kept, one input after the other. A file whose name ends in ".b64" is a
 * kept corpus, one input a line, in base64, so that thousands of small inputs are one text; any other file is one input.
 *
 *     TARGET FILE...              runs them; prints how many
 *     fuzzpack --pack FILE...     writes a kept corpus of them to stdout
 *     fuzzpack --unpack DIR FILE  makes files in DIR of a kept corpus
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/b64.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/limits.h"

/* Without a target there is nothing to run: that is fuzzpack. */
__attribute__((weak)) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

typedef int each_input(void *arg, size_t number, const uint8_t *data, size_t len);

static int read_whole(const char *path, struct buf *to)
{
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    for (;;) {
        char *at = buf_reserve(to, 64 * KIB);
        ssize_t n = at ? read(fd, at, 64 * KIB) : -1;
        if (n <= 0)
            return n < 0 ? (to->error ? to->error : -errno) : 0;
        buf_grew(to, (size_t)n);
    }
}

/* Inputs are copied to memory of just their size, so that a sanitizer sees what is read behind them. */
static int give(each_input *each, void *arg, size_t number, const void *data, size_t len)
{
    auto_free uint8_t *copy = malloc(len ? len : 1);
    if (!copy)
        return -ENOMEM;
    if (len)
        memcpy(copy, data, len);
    return each(arg, number, copy, len);
}

static int each_line(const struct buf *text, each_input *each, void *arg, size_t *count)
{
    int r = 0;
    for (const char *at = text->data, *end = at + text->len, *stop; at && at < end && r == 0; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        size_t n = 0, len = (size_t)(stop - at);
        auto_free uint8_t *bytes = malloc(B64_ROOM(len) + 1);
        if (!bytes)
            return -ENOMEM;
        if (b64_decode_strict(at, len, bytes, &n) != B64_FINE)
            return -EBADMSG;
        r = give(each, arg, (*count)++, bytes, n);
    }
    return r;
}

static int each_of(const char *path, each_input *each, void *arg, size_t *count)
{
    auto_buf text = BUF_INIT(64 * MIB);
    size_t n = strlen(path);
    int r = read_whole(path, &text);
    if (r == 0 && n > 4 && !strcmp(path + n - 4, ".b64"))
        r = each_line(&text, each, arg, count);
    else if (r == 0)
        r = give(each, arg, (*count)++, text.data, text.len);
    if (r < 0)
        (void)fprintf(stderr, "replay: %s: %s\n", path, strerror(-r));
    return r;
}

static int run(void *arg, size_t number, const uint8_t *data, size_t len)
{
    (void)arg;
    (void)number;
    return LLVMFuzzerTestOneInput ? LLVMFuzzerTestOneInput(data, len) : -ENOSYS;
}

static int pack(void *arg, size_t number, const uint8_t *data, size_t len)
{
    auto_free char *line = malloc(B64_LEN(len) + 1);
    (void)arg;
    (void)number;
    if (!line)
        return -ENOMEM;
    b64_encode(data, len, line);
    line[B64_LEN(len)] = '\n';
    return fwrite(line, 1, B64_LEN(len) + 1, stdout) == B64_LEN(len) + 1 ? 0 : -EIO;
}

static int unpack(void *arg, size_t number, const uint8_t *data, size_t len)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/kept-%05zu", (const char *)arg, number);
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return fd < 0 || (len && write(fd, data, len) != (ssize_t)len) ? -errno : 0;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    bool packs = !strcmp(word, "--pack"), unpacks = !strcmp(word, "--unpack") && argc > 2;
    each_input *each = packs ? pack : unpacks ? unpack : run;
    size_t count = 0;
    if (each == run && LLVMFuzzerInitialize)
        (void)LLVMFuzzerInitialize(&argc, &argv);
    for (int i = packs ? 2 : unpacks ? 3 : 1; i < argc; i++)
        if (each_of(argv[i], each, argv[unpacks ? 2 : 0], &count) < 0)
            return 1;
    if (each == run)
        (void)printf("%zu inputs\n", count);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fovea-ocr: reads the text of one picture in a jail and exits. It never sees a picture file: its input is the rows
 * that fovea-worker decoded. Its one argument is the language's data, FOLDER/LANGUAGE.traineddata, mapped while files
 * can still be opened and made sense of when none can any more. Speaks the protocol of src/sandbox/proto.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/limits.h"
#include "read.h"
#include "sandbox/serve.h"

struct language {
    char name[LIMIT_OCR_LANGUAGE + 1];
    const void *data; /* NULL: none, or could not be had */
    size_t len;
};

/* All of it is fetched now, so that a slow disk does not count against the picture. A negative errno. */
static int map_language(const char *path, struct language *ret)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strchr(base, '.');
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -errno;
    off_t len = lseek(fd, 0, SEEK_END);
    if (!dot || dot - base > LIMIT_OCR_LANGUAGE || len <= 0 || (size_t)len > LIMIT_OCR_DATA)
        return -EINVAL;
    void *data = mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (data == MAP_FAILED)
        return -errno;
    *ret = (struct language){.data = data, .len = (size_t)len};
    memcpy(ret->name, base, (size_t)(dot - base));
    return 0;
}

/* Nothing is wrong with the data: there was no memory or descriptor for them. */
static bool lacked(int error)
{
    return error == -ENOMEM || error == -EAGAIN || error == -EMFILE || error == -ENFILE;
}

static int write_text(int fd, const struct buf *text, struct work_reply *reply)
{
    if (write_all(fd, text->data, text->len))
        return serve_refuse(reply, WORK_NO_MEMORY, "cannot write the text");
    reply->image_len = text->len;
    return 0;
}

/* The reader, or why there is none. */
struct ready {
    struct reader *reader;
    int error;
};

static int read_rows(const struct ready *ready, const struct work_request *q, const int fds[SERVE_FDS], struct work_reply *reply)
{
    auto_buf text = BUF_INIT(LIMIT_OCR_OUTPUT);
    const void *rows;
    if (serve_map(q, fds, &rows, reply))
        return -EBADMSG;
    if (!(q->flags & WORK_TEXT) || !q->raw_w || !q->raw_h || q->raw_w > LIMIT_OCR_SIDE || q->raw_h > LIMIT_OCR_SIDE ||
        q->input_len != (uint64_t)q->raw_w * q->raw_h)
        return serve_refuse(reply, WORK_UNSUPPORTED, "not rows of a picture");
    if (lacked(ready->error))
        return serve_refuse(reply, WORK_NO_MEMORY, "no memory for the reader");
    if (!ready->reader)
        return serve_refuse(reply, WORK_UNSUPPORTED, "the language data cannot be used");
    int e = reader_read(ready->reader, rows, q->raw_w, q->raw_h, &text);
    if (e)
        return serve_refuse(reply, e == -ENOMEM ? WORK_NO_MEMORY : WORK_MALFORMED, "the picture cannot be read");
    return write_text(fds[SERVE_OUTPUT], &text, reply);
}

static void work(const void *ready, const struct work_request *q, const int fds[SERVE_FDS], struct work_reply *reply)
{
    (void)read_rows(ready, q, fds, reply);
}

int main(int argc, char **argv)
{
    static const struct jail_limits limits = {LIMIT_OCR_MEMORY, LIMIT_OCR_OUTPUT, LIMIT_OCR_CPU_S, NULL};
    struct jail_report jail = {0};
    struct language language = {0};
    struct ready ready = {0};
    char codecs[sizeof ((struct work_hello *)0)->codecs] = "";
    tzset();
    (void)mallopt(M_ARENA_MAX, 1);
    if (argc > 1)
        ready.error = map_language(argv[1], &language);
    int failed = jail_enter(getppid(), WORK_SOCKET, &limits, &jail);
    reader_libraries(codecs, sizeof codecs);
    if (serve_hello(&jail, codecs) || failed)
        return SERVE_GONE;
    if (language.data)
        ready.error = reader_new(language.data, language.len, language.name, &ready.reader);
    serve_one(work, &ready);
}

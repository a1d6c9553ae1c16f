/* SPDX-License-Identifier: Apache-2.0 */
/*
 * local/ocr, see ocr.h: decode, then read. The reader is started when a job comes, and makes sense of its language data
 * while the picture is still being decoded. The rows pass from one program to the other in a sealed memfd; this process
 * holds them and looks at their number only.
 */
#include "ask/ocr.h"

#include <errno.h>
#include <sys/mman.h>

#include "ask/ocr_priv.h"
#include "base/cleanup.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/limits.h"

void ocr_result_done(struct ocr_result *r)
{
    free(r->text);
    free(r->lines);
    *r = (struct ocr_result){0};
}

/* The whole picture at its own size, unless that is more than can be read in time. What is drawn has no size of its own: as
 * large as letters are read best. */
static struct work_request rows_wanted(const struct ocr_request *q)
{
    return (struct work_request){
        .magic = WORK_MAGIC,
        .media = q->media,
        .input_len = q->len,
        .frame = q->frame,
        .page = q->page,
        .flags = WORK_RAW,
        .region = q->region,
        .limits = {.max_edge = media_drawn(q->media) ? LIMIT_OCR_DRAWN : LIMIT_OCR_SIDE, .max_patches = LIMIT_OCR_PATCHES,
                   .quality = 1, .resize = 1},
    };
}

static struct work_request text_wanted(uint32_t width, uint32_t height)
{
    return (struct work_request){.magic = WORK_MAGIC, .input_len = (uint64_t)width * height, .flags = WORK_TEXT,
                                 .raw_w = width, .raw_h = height};
}

/* The bytes were checked by the pool (check_text). */
static int parse(const struct pool_output *o, struct ocr_result *r)
{
    struct work_text head;
    memcpy(&head, o->data, sizeof head);
    const char *text = (const char *)o->data + o->len - head.text_len;
    r->text = strndup(text, head.text_len);
    r->lines = head.lines ? calloc(head.lines, sizeof *r->lines) : NULL;
    if (!r->text || (head.lines && !r->lines))
        return -ENOMEM;
    for (size_t i = 0; i < head.lines; i++) {
        struct work_line l;
        memcpy(&l, o->data + sizeof head + i * sizeof l, sizeof l);
        r->lines[i] = (struct ocr_line){l.at, l.len, l.words, (float)l.confidence / 100};
    }
    r->len = head.text_len;
    r->line_count = head.lines;
    r->words = head.words;
    r->confidence = (float)head.confidence / 100;
    r->cut = head.cut;
    return 0;
}

/* A job that did not end well, as a fault: the picture was good, so it is none of its doing. */
static int reading_fault(const struct ocr *o, enum pool_end end, const struct work_reply *reply,
                         struct fovea_fault *fault)
{
    if (end == POOL_TIMED_OUT)
        return fault_set(fault, ETIMEDOUT, "reading the picture's text took longer than %d s; ask for a region of it",
                         LIMIT_OCR_MS / 1000);
    if (end == POOL_DIED)
        return fault_set(fault, EIO, "the program that reads text died; try again, or ask for a region of the picture");
    if (reply->status == WORK_UNSUPPORTED)
        return ocr_data_fault(o, ENOEXEC, fault);
    return fault_set(fault, EIO, "the text cannot be read: %s", reply->detail);
}

static int read_rows(struct ocr *o, int rows_fd, uint32_t width, uint32_t height, const fovea_cancel *cancel,
                     struct ocr_result *ret, struct fovea_fault *fault)
{
    struct work_request request = text_wanted(width, height);
    struct pool_output output = {0};
    enum pool_end end;
    const struct pool_job job = {.request = &request, .input = rows_fd, .limit_ms = LIMIT_OCR_MS, .cancel = cancel};
    int r = pool_run(o->pool, &job, &end, &output, fault);
    if (r < 0)
        return r;
    if (end != POOL_DONE || output.reply.status)
        r = reading_fault(o, end, &output.reply, fault);
    else if (parse(&output, ret) < 0)
        r = fault_oom(fault);
    pool_output_done(&output);
    return r;
}

static int decode(struct pool *pixels, const struct ocr_request *q, int rows_fd, const fovea_cancel *cancel,
                  struct ocr_result *ret, struct fovea_fault *fault)
{
    struct work_request request = rows_wanted(q);
    struct pool_output output = {0};
    const struct pool_job job = {.request = &request, .input = q->fd, .limit_ms = LIMIT_WORKER_MS, .cancel = cancel};
    int r = pool_run_into(pixels, &job, rows_fd, &ret->end, &output, fault);
    ret->picture = output.reply;
    pool_output_done(&output);
    return r;
}

static int decode_and_read(struct ocr *o, struct pool *pixels, const struct ocr_request *q, const fovea_cancel *cancel,
                           struct ocr_result *ret, struct fovea_fault *fault)
{
    auto_close int rows = memory_open("fovea-rows");
    if (rows < 0)
        return fault_set(fault, rows, "cannot make room for a picture: %s", strerrordesc_np(-rows));
    pool_prepare(o->pool); /* one that is not needed after all waits for the next picture */
    int r = decode(pixels, q, rows, cancel, ret, fault);
    if (r < 0 || ret->end != POOL_DONE || ret->picture.status)
        return r;
    return read_rows(o, rows, ret->picture.width, ret->picture.height, cancel, ret, fault);
}

int ocr_run(struct ocr *o, struct pool *pixels, const struct ocr_request *request, const fovea_cancel *cancel,
            struct ocr_result *ret, struct fovea_fault *fault)
{
    struct ocr_result result = {0};
    int r = ocr_enter(o, cancel, fault);
    if (r < 0)
        return r;
    r = decode_and_read(o, pixels, request, cancel, &result, fault);
    ocr_leave(o);
    if (r < 0)
        ocr_result_done(&result);
    else
        *ret = result;
    return r;
}

enum { BLANK = 64 }; /* side of a picture with nothing on it */

static int read_blank(struct ocr *o, struct fovea_fault *fault)
{
    static const uint8_t black[BLANK * BLANK];
    struct ocr_result result = {0};
    auto_close int rows = memory_open("fovea-rows");
    if (rows < 0 || write_all(rows, black, sizeof black))
        return fault_oom(fault);
    int r = read_rows(o, rows, BLANK, BLANK, NULL, &result, fault);
    ocr_result_done(&result);
    return r;
}

int ocr_check(struct ocr *o, char *words, size_t room, struct fovea_fault *fault)
{
    struct work_hello hello;
    int r = ocr_enter(o, NULL, fault);
    if (r < 0)
        return r;
    r = pool_hello(o->pool, &hello, fault);
    if (r >= 0)
        r = read_blank(o, fault);
    if (r == -EIO) /* nothing in that picture could have hurt it */
        r = ocr_data_fault(o, ENOEXEC, fault);
    ocr_leave(o);
    if (r >= 0)
        (void)snprintf(words, room, "%s, %s", hello.codecs, o->language);
    return r < 0 ? r : 0;
}

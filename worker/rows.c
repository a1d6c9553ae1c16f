/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from decoder to resampler, see rows.h. A few batches of rows go round between the two threads: the decoder fills
 * a free one, the resampler empties a full one, and when the other has them all, each writes some rows of the JPEG or
 * waits.
 */
#include "rows.h"

#include <pthread.h>

#include "base/limits.h"

enum {
    BATCHES = 4,
    BATCH_BYTES = 96 * 1024,     /* about */
    BATCH_ROWS = 8,              /* at least: the threads would be waking each other all the time */
    THREAD_STACK = 256 * 1024,
    THREAD_PIXELS = 500 * 1000,  /* below this a thread costs more than it saves */
    WRITE_ROWS = 16,             /* at a time: what JPEG needs for a row of blocks */
};

struct belt {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct resampler *r;
    struct jpeg_writer *jpeg;
    uint8_t *rows; /* BATCHES batches, each with the resampler's pad: it must not look into one that is being filled */
    size_t stride, batch;
    uint32_t batch_rows, height;
    uint32_t full;  /* batches filled so far */
    uint32_t empty; /* batches emptied so far */
    uint32_t scaled, written; /* rows of the picture: complete; given to the JPEG */
    bool opaque;    /* as far as scaled */
    bool writing;   /* one of the two is at it */
    bool stop;      /* decoding failed: what comes is not wanted */
    bool over;      /* nothing more will be scaled */
};

static uint32_t rows_in(const struct belt *b, uint32_t batch)
{
    uint32_t from = batch * b->batch_rows;
    return from >= b->height ? 0 : MIN(b->batch_rows, b->height - from);
}

static uint8_t *batch_at(const struct belt *b, uint32_t batch)
{
    return b->rows + (batch % BATCHES) * b->batch;
}

/* Under the lock, which is let go meanwhile. False when there is nothing to write. */
static bool write_some(struct belt *b)
{
    if (!b->jpeg || b->writing || !b->opaque || b->written == b->scaled)
        return false;
    uint32_t rows = b->written = MIN(b->scaled, b->written + WRITE_ROWS);
    b->writing = true;
    pthread_mutex_unlock(&b->lock);
    jpeg_writer_rows(b->jpeg, rows);
    pthread_mutex_lock(&b->lock);
    b->writing = false;
    return true;
}

static void write_or_wait(struct belt *b)
{
    if (!write_some(b))
        pthread_cond_wait(&b->changed, &b->lock);
}

/* Waits for batch `n` to be full; false when decoding was given up. */
static bool wait_full(struct belt *b, uint32_t n)
{
    pthread_mutex_lock(&b->lock);
    while (b->full <= n && !b->stop)
        write_or_wait(b);
    bool go = b->full > n;
    pthread_mutex_unlock(&b->lock);
    return go;
}

static void wait_empty(struct belt *b, uint32_t n)
{
    pthread_mutex_lock(&b->lock);
    while (n - b->empty >= BATCHES)
        write_or_wait(b);
    pthread_mutex_unlock(&b->lock);
}

static void wait_over(struct belt *b)
{
    pthread_mutex_lock(&b->lock);
    while (!b->over)
        write_or_wait(b);
    pthread_mutex_unlock(&b->lock);
}

/* The decoder's word. */
static void tell_full(struct belt *b, bool stop)
{
    pthread_mutex_lock(&b->lock);
    b->full += !stop;
    b->stop = stop;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

/* The resampler's. */
static void tell_empty(struct belt *b, bool over)
{
    pthread_mutex_lock(&b->lock);
    b->empty++;
    b->scaled = resample_done(b->r);
    b->opaque = resample_opaque(b->r);
    b->over = over;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

static void *scale_batches(void *arg)
{
    struct belt *b = arg;
    uint32_t rows;
    for (uint32_t n = 0; (rows = rows_in(b, n)) && wait_full(b, n); n++) {
        for (uint32_t y = 0; y < rows; y++) {
            resample_push(b->r, batch_at(b, n) + y * b->stride);
            if (!y && n)
                tell_empty(b, false); /* the batch before: its last row was still to be compared with */
        }
    }
    tell_empty(b, true);
    return NULL;
}

static int decode_batches(const struct decoder_ops *ops, struct decoder *d, struct belt *b, struct complaint *c)
{
    int status = WORK_OK;
    uint32_t rows;
    for (uint32_t n = 0; !status && (rows = rows_in(b, n)); n++) {
        wait_empty(b, n);
        for (uint32_t y = 0; !status && y < rows; y++)
            status = ops->row(d, batch_at(b, n) + y * b->stride, c);
        tell_full(b, status != WORK_OK);
    }
    return status;
}

static int start_thread(struct belt *b, pthread_t *ret)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr))
        return -1;
    (void)pthread_attr_setstacksize(&attr, THREAD_STACK);
    int e = pthread_create(ret, &attr, scale_batches, b);
    pthread_attr_destroy(&attr);
    return e ? -1 : 0;
}

/* On two threads. False when there cannot be a second one: nothing has happened then. */
static bool run_beside(const struct decoder_ops *ops, struct decoder *d, const struct header *header, struct size size,
                       struct resampler *r, struct jpeg_writer *jpeg, struct complaint *c, int *ret_status)
{
    struct belt b = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .r = r, .height = size.h};
    b.jpeg = jpeg;
    b.stride = (size_t)size.w * header->channels;
    b.batch_rows = (uint32_t)MAX(BATCH_BYTES / b.stride, (size_t)BATCH_ROWS);
    b.batch = b.batch_rows * b.stride + RESAMPLE_PAD;
    auto_free uint8_t *rows = calloc(BATCHES, b.batch);
    pthread_t thread;
    b.rows = rows;
    if (!rows || start_thread(&b, &thread))
        return false;
    *ret_status = decode_batches(ops, d, &b, c);
    wait_over(&b);
    pthread_join(thread, NULL);
    return true;
}

static int run_alone(const struct decoder_ops *ops, struct decoder *d, const struct header *header, struct size size,
                     struct resampler *r, bool *opaque, struct complaint *c)
{
    size_t room = (size_t)size.w * header->channels + RESAMPLE_PAD;
    auto_free uint8_t *two = calloc(2, room); /* a row and the one before */
    if (!two)
        return complain(c, WORK_NO_MEMORY, "no memory for a row");
    int status = WORK_OK;
    for (uint32_t y = 0; !status && y < size.h; y++) {
        uint8_t *row = two + y % 2 * room;
        status = ops->row(d, row, c);
        if (!status && r)
            resample_push(r, row);
        else if (!status && header->alpha)
            *opaque = *opaque && row_opaque(row, size.w);
    }
    return status;
}

int rows_run(const struct decoder_ops *ops, struct decoder *d, const struct header *header, struct size size,
             struct resampler *r, struct jpeg_writer *jpeg, bool *ret_opaque, struct complaint *c)
{
    bool opaque = true;
    int status = WORK_OK;
    if (!r || (uint64_t)size.w * size.h < THREAD_PIXELS || !run_beside(ops, d, header, size, r, jpeg, c, &status))
        status = run_alone(ops, d, header, size, r, &opaque, c);
    if (!status)
        status = ops->finish(d, c);
    if (!status)
        *ret_opaque = r ? resample_opaque(r) : opaque;
    return status;
}

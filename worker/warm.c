/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readying a worker: a fresh process pays about 1.5 us for each page that it touches first, and each library's code is
 * mapped page by page on first use. A worker that waits has the time; one that is started for its job must not lose
 * any, so all of it stays well under what it saves.
 */
#include "warm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "encode.h"
#include "resample.h"

enum { HUGE_PAGE = 2 << 20, TOUCHED = 6 << 20, BLOCK = 28 << 20, PAGE = 4096, TINY = 48 };

static_assert((int)BLOCK < (int)KEPT_BLOCK, "else libc maps it, or gives both back");

/*
 * Freed memory stays with the process (see main), touched, and large blocks are taken from it. In huge pages, where the
 * system gives them, it comes in a third of the time and goes with the process in next to none: beside a call that
 * follows at once, a new worker takes the processor from the one at work. Memory for some pictures of ordinary size is to come so,
 * whenever it is first touched: a drawing may need several layers. What lies before the first of them stays taken and unused.
 */
static void touch_heap(void)
{
    char *heap = malloc(BLOCK), *more = malloc(BLOCK);
    uintptr_t start = (uintptr_t)heap, lead = HUGE_PAGE - start % HUGE_PAGE, end = (uintptr_t)sbrk(0);
    free(more);
    if (!heap || start + lead + TOUCHED > end) { /* no heap of libc's own */
        free(heap);
        return;
    }
    volatile char *at = heap + lead;
    (void)madvise(heap + lead, end - start - lead, MADV_HUGEPAGE);
    for (size_t i = 0; i < TOUCHED; i += PAGE)
        at[i] = 0;
    void *before = realloc(heap, lead);
    (void)before;
}

static void run_encoders(void)
{
    auto_image m = {0}, half = {0};
    auto_encoded drawn = {0}, photo = {0};
    if (image_init(&m, (struct size){TINY, TINY}))
        return;
    for (size_t i = 0; i < TINY * TINY * 4; i++)
        m.px[i] = i % 4 == 3 ? 255 : (uint8_t)(i * i >> 4);
    if (image_scale(&m, (struct size){TINY / 2, TINY / 2}, &half))
        return;
    (void)encode_webp.encode(&half, 75, &drawn);
    (void)encode_webp_photo.encode(&half, 75, &photo);
}

void warm_page(const struct image *m)
{
    auto_encoded made = {0};
    (void)encode_png_quick.encode(m, 0, &made);
}

void warm_up(void)
{
    touch_heap();
    run_encoders();
}

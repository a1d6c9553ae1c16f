/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Videos that are built to do harm: tables that claim or hold millions of rows, sizes without bounds, boxes in boxes, indexes
 * that lead in circles, clocks that stand still. Some are whole files by hand, others a sound clip with one thing changed.
 */
#include <endian.h>
#include <string.h>

#include "bytes.h"
#include "mkvideo.h"

enum { MILLION = 1000000 };

/* ---------------------------------------------------------------- a clip with one thing changed */

static int add_clip(struct buf *b, const char *name)
{
    for (const struct clip *c = clips; c->name; c++)
        if (!strcmp(c->name, name))
            return clip_make(c, b);
    return -ENOENT;
}

/* The n-th place of the type, so many bytes behind it, becomes v. */
struct change {
    const char *clip, *type;
    unsigned n, behind;
    uint64_t v;
    unsigned bytes;
};

static int changed(struct buf *b, const struct change *c)
{
    int e = add_clip(b, c->clip);
    size_t at = find_type(b, c->type, c->n);
    put_number(b, at + 4 + c->behind, c->v, c->bytes);
    return e ? e : at == b->len ? -ENOENT : b->error;
}

#define CHANGED(name, ...)                                  \
    static int name(struct buf *b)                          \
    {                                                       \
        return changed(b, &(const struct change){__VA_ARGS__}); \
    }

CHANGED(huge_size, "mpeg4.mp4", "mp4v", 0, 24, 0xffffffff, 4)
CHANGED(empty_size, "mpeg4.mp4", "mp4v", 0, 24, 0, 4)
CHANGED(clock_stands, "h264.mp4", "mdhd", 0, 12, 0, 4)
CHANGED(clock_races, "h264.mp4", "mdhd", 0, 12, 0xffffffff, 4)
CHANGED(endless_steps, "h264.mp4", "stts", 0, 12, 0xffffffff, 4)
CHANGED(claims_steps, "h264.mp4", "stts", 0, 4, 0x7fffffff, 4)
CHANGED(claims_offsets, "h264.mp4", "ctts", 0, 4, 0x7fffffff, 4)
CHANGED(far_offset, "h264.mp4", "ctts", 0, 12, 0x7fffffff, 4)
CHANGED(claims_samples, "h264.mp4", "stsz", 0, 8, 0xffffffff, 4)
CHANGED(samples_in_chunk, "h264.mp4", "stsc", 0, 12, 0xffffffff, 4)
CHANGED(chunk_beyond, "h264.mp4", "stco", 0, 8, 0xfffffff0, 4)
CHANGED(edit_of_eternity, "h264.mp4", "elst", 0, 8, 0xffffffff00000000, 8)
CHANGED(avi_no_rate, "mjpeg.avi", "vids", 0, 16, 0, 8)
CHANGED(avi_frames, "mjpeg.avi", "avih", 0, 20, 0xffffffff, 4)
CHANGED(index_of_itself, "mjpeg.avi", "00dc", 55, 4, 0xffffffff, 4)

/* ---------------------------------------------------------------- an MP4 by hand */

static void add_head(struct buf *b)
{
    size_t at = box_begin(b, "ftyp");
    add_text(b, "isom");
    add_number(b, 512, 4);
    add_text(b, "isommp41");
    box_end(b, at);
}

/* A box of version and flags 0, then numbers of four bytes. */
static void add_full(struct buf *b, const char *type, const uint32_t *numbers, size_t n)
{
    size_t at = box_begin(b, type);
    add_number(b, 0, 4);
    for (size_t i = 0; i < n; i++)
        add_number(b, numbers[i], 4);
    box_end(b, at);
}
#define FULL(b, type, ...) add_full(b, type, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)

static void add_description(struct buf *b, uint32_t side)
{
    size_t stsd = box_begin(b, "stsd");
    add_number(b, 1, 8);
    size_t entry = box_begin(b, "jpeg");
    add_number(b, 1, 8);
    add_zeros(b, 16);
    add_number(b, side, 2);
    add_number(b, side, 2);
    add_zeros(b, 50);
    box_end(b, entry);
    box_end(b, stsd);
}

/* What differs between the tables of these files. */
struct tables {
    uint32_t edits;       /* rows of the edit list, each the same moment */
    uint32_t samples;     /* that stsz says there are, of sample_len each */
    uint32_t sample_len;
    uint32_t steps;       /* rows of stts */
    uint32_t step_samples; /* of each row */
    uint32_t offsets;     /* rows of ctts */
    uint32_t data;        /* bytes of mdat */
    uint32_t side;        /* of a frame, in pixels; 0 is 64 */
};

static void add_steps(struct buf *b, const struct tables *t)
{
    size_t at = box_begin(b, "stts");
    add_number(b, 0, 4);
    add_number(b, t->steps, 4);
    for (uint32_t i = 0; i < t->steps; i++)
        add_number(b, (uint64_t)t->step_samples << 32 | (1 + i % 2), 8);
    box_end(b, at);
    if (!t->offsets)
        return;
    at = box_begin(b, "ctts");
    add_number(b, 0, 4);
    add_number(b, t->offsets, 4);
    for (uint32_t i = 0; i < t->offsets; i++)
        add_number(b, (uint64_t)1 << 32 | (i * 7919 % 65536), 8);
    box_end(b, at);
}

static void add_edits(struct buf *b, const struct tables *t)
{
    if (!t->edits)
        return;
    size_t edts = box_begin(b, "edts"), elst = box_begin(b, "elst");
    add_number(b, 0, 4);
    add_number(b, t->edits, 4);
    for (uint32_t i = 0; i < t->edits; i++) {
        add_number(b, 100, 4);
        add_number(b, 0, 4);
        add_number(b, 0x10000, 4);
    }
    box_end(b, elst);
    box_end(b, edts);
}

static void add_handler(struct buf *b)
{
    size_t at = box_begin(b, "hdlr");
    add_number(b, 0, 8);
    add_text(b, "vide");
    add_zeros(b, 13);
    box_end(b, at);
}

static int add_tables(struct buf *b, const struct tables *t)
{
    add_head(b);
    size_t mdat = box_begin(b, "mdat"), data = b->len;
    add_zeros(b, t->data);
    box_end(b, mdat);
    size_t moov = box_begin(b, "moov");
    FULL(b, "mvhd", 0, 0, 1000, 1000, 0x10000, 0x01000000, 0, 0, 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000, 0, 0, 0, 0, 0, 0,
         2);
    size_t trak = box_begin(b, "trak");
    FULL(b, "tkhd", 0, 0, 1, 0, 1000, 0, 0, 0, 0, 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000, 64 << 16, 64 << 16);
    add_edits(b, t);
    size_t mdia = box_begin(b, "mdia");
    FULL(b, "mdhd", 0, 0, 1000, 1000, 0);
    add_handler(b);
    size_t minf = box_begin(b, "minf"), stbl = box_begin(b, "stbl");
    add_description(b, t->side ? t->side : 64);
    add_steps(b, t);
    FULL(b, "stsc", 1, 1, t->samples, 1);
    FULL(b, "stsz", t->sample_len, t->samples);
    FULL(b, "stco", 1, (uint32_t)data);
    box_end(b, stbl);
    box_end(b, minf);
    box_end(b, mdia);
    box_end(b, trak);
    box_end(b, moov);
    return b->error;
}

#define TABLES(name, ...)                                            \
    static int name(struct buf *b)                                   \
    {                                                                \
        return add_tables(b, &(const struct tables){__VA_ARGS__});   \
    }

TABLES(million_frames, .samples = MILLION, .sample_len = 1, .steps = 1, .step_samples = MILLION, .data = MILLION)
TABLES(four_milliard, .samples = 0xffffffff, .sample_len = 1, .steps = 1, .step_samples = 0xffffffff, .data = 1000)
TABLES(empty_frames, .samples = 0xfffffff, .sample_len = 0, .steps = 1, .step_samples = 0xfffffff, .data = 1000)
TABLES(many_steps, .samples = 2 * MILLION, .sample_len = 1, .steps = 2 * MILLION, .step_samples = 1, .data = 2 * MILLION)
TABLES(many_offsets, .samples = MILLION, .sample_len = 1, .steps = 1, .step_samples = MILLION, .offsets = MILLION,
       .data = MILLION)
TABLES(edits_in_circles, .samples = 20000, .sample_len = 1, .steps = 1, .step_samples = 20000, .edits = 200000, .data = 20000)
TABLES(huge_sides, .samples = 10, .sample_len = 100, .steps = 1, .step_samples = 10, .data = 1000, .side = 65535)
TABLES(no_frames, .samples = 0, .steps = 0, .data = 8)

static int nested_boxes(struct buf *b)
{
    enum { DEPTH = 200000 };
    add_head(b);
    for (uint32_t i = 0; i < DEPTH; i++) {
        add_number(b, (DEPTH - i) * 8ull, 4);
        add_text(b, i ? "udta" : "moov");
    }
    return b->error;
}

/* ---------------------------------------------------------------- Matroska */

static void add_ebml(struct buf *b)
{
    (void)buf_add(b, "\x1a\x45\xdf\xa3\x8f\x42\x82\x88matroska\x42\x87\x81\x02", 20);
}

static int huge_elements(struct buf *b)
{
    add_ebml(b);
    (void)buf_add(b, "\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff", 12); /* segment of unknown size */
    for (int i = 0; i < 100000; i++)
        (void)buf_add(b, "\x16\x54\xae\x6b\x01\xff\xff\xff\xff\xff\xff\xfe", 12); /* tracks of nearly endless size */
    return b->error;
}

static int nested_elements(struct buf *b)
{
    add_ebml(b);
    (void)buf_add(b, "\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff", 12);
    for (int i = 0; i < 200000; i++)
        (void)buf_add(b, "\xb6\x01\xff\xff\xff\xff\xff\xff\xff", 9); /* chapter atoms in one another */
    return b->error;
}

/* Names a buffer of 2 GiB for the codec's head. */
static int huge_private(struct buf *b)
{
    add_ebml(b);
    (void)buf_add(b, "\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff\x16\x54\xae\x6b\x01\xff\xff\xff\xff\xff\xff\xff", 24);
    (void)buf_add(b, "\xae\x01\x00\x00\x00\x7f\xff\xff\xff\xd7\x81\x01\x83\x81\x01\x63\xa2\x01\x00\x00\x00\x7f\xff\xff\xf0", 25);
    add_zeros(b, 1000);
    return b->error;
}

/* Blocks without end in a clip without any: the clip's own, and then zeros. */
static int webm_and_zeros(struct buf *b)
{
    int e = add_clip(b, "recorded.webm");
    add_zeros(b, (size_t)24 << 20);
    return e ? e : b->error;
}

/* ---------------------------------------------------------------- AVI */

/* An index of indexes whose rows all name the file's start, each a million times as long as it is. */
static int avi_index_loop(struct buf *b)
{
    int e = add_clip(b, "mjpeg.avi");
    size_t strf = find_type(b, "indx", 0);
    for (size_t at = strf + 32; at + 16 < strf + 4000 && strf < b->len; at += 16) {
        put_number(b, at, 0, 8);
        put_number(b, at + 8, 0xffffff7f, 4);
    }
    put_number(b, strf + 12, 0xff000000, 4);
    return e ? e : b->error;
}

/* A million lists in one another. */
static int avi_lists(struct buf *b)
{
    size_t riff = chunk_begin(b, "RIFF");
    add_text(b, "AVI ");
    for (int i = 0; i < MILLION / 4; i++) {
        add_text(b, "LIST");
        add_number_le(b, 0x7fffffff, 4);
        add_text(b, "hdrl");
    }
    chunk_end(b, riff);
    return b->error;
}

/* ---------------------------------------------------------------- damage */

static int cut_short(struct buf *b)
{
    int e = add_clip(b, "h264.mp4");
    b->len = b->len * 6 / 10;
    return e;
}

static int cut_avi(struct buf *b)
{
    int e = add_clip(b, "mpeg4-b.avi");
    b->len = b->len / 2;
    return e;
}

static void scramble(struct buf *b, size_t from, size_t to)
{
    uint32_t random = 1;
    for (size_t at = from; at < to; at++) {
        random = random * 1664525 + 1013904223;
        b->data[at] = (char)(random >> 24);
    }
}

/* Bytes of the pictures' data are lost between so many hundredths of the file. */
static int damaged(struct buf *b, const char *clip, size_t from, size_t to)
{
    int e = add_clip(b, clip);
    if (!e)
        scramble(b, b->len * from / 100, b->len * to / 100);
    return e;
}

static int damaged_mpeg4(struct buf *b)
{
    return damaged(b, "mpeg4-b.avi", 67, 83);
}

static int damaged_vp8(struct buf *b)
{
    return damaged(b, "vp8.webm", 67, 83);
}

/* From the 400th on, each frame is noise of its own length. */
static int damaged_intra(struct buf *b)
{
    int e = add_clip(b, "long-intra.avi");
    uint32_t len;
    for (size_t at = find_type(b, "00dc", 400); !e && at + 8 < b->len && !memcmp(b->data + at, "00dc", 4); at += 8 + len + len % 2) {
        memcpy(&len, b->data + at + 4, sizeof len);
        len = le32toh(len);
        scramble(b, at + 8, MIN(at + 8 + len, b->len));
    }
    return e;
}

/* The first frame says that it is 16383 pixels high and wide; the file's head does not. */
static int huge_frame(struct buf *b)
{
    int e = add_clip(b, "vp8.webm");
    char *at = e ? NULL : memmem(b->data, b->len, "\x9d\x01\x2a", 3);
    if (!at)
        return e ? e : -ENOENT;
    memcpy(at + 3, "\xff\x3f\xff\x3f", 4);
    return 0;
}

/* All of what the index leads to is noise. */
static int noise(struct buf *b)
{
    int e = add_clip(b, "h264.mp4");
    if (!e)
        scramble(b, find_type(b, "mdat", 0) + 4, find_type(b, "moov", 0) - 4);
    return e;
}

const struct bomb bombs[] = {
    {"huge-size.mp4", huge_size},
    {"huge-sides.mp4", huge_sides},
    {"huge-frame.webm", huge_frame},
    {"empty-size.mp4", empty_size},
    {"clock-stands.mp4", clock_stands},
    {"clock-races.mp4", clock_races},
    {"endless-steps.mp4", endless_steps},
    {"claims-steps.mp4", claims_steps},
    {"claims-offsets.mp4", claims_offsets},
    {"far-offset.mp4", far_offset},
    {"claims-samples.mp4", claims_samples},
    {"samples-in-chunk.mp4", samples_in_chunk},
    {"chunk-beyond.mp4", chunk_beyond},
    {"edit-of-eternity.mp4", edit_of_eternity},
    {"million-frames.mp4", million_frames},
    {"four-milliard.mp4", four_milliard},
    {"empty-frames.mp4", empty_frames},
    {"many-steps.mp4", many_steps},
    {"many-offsets.mp4", many_offsets},
    {"edits-in-circles.mp4", edits_in_circles},
    {"no-frames.mp4", no_frames},
    {"nested-boxes.mp4", nested_boxes},
    {"huge-elements.mkv", huge_elements},
    {"nested-elements.mkv", nested_elements},
    {"huge-private.mkv", huge_private},
    {"webm-and-zeros.webm", webm_and_zeros},
    {"avi-no-rate.avi", avi_no_rate},
    {"avi-frames.avi", avi_frames},
    {"index-of-itself.avi", index_of_itself},
    {"avi-index-loop.avi", avi_index_loop},
    {"avi-lists.avi", avi_lists},
    {"cut-short.mp4", cut_short},
    {"cut.avi", cut_avi},
    {"damaged-mpeg4.avi", damaged_mpeg4},
    {"damaged-vp8.webm", damaged_vp8},
    {"damaged-intra.avi", damaged_intra},
    {"noise.mp4", noise},
    {.name = NULL},
};

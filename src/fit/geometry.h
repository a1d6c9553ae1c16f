/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and boxes in whole pixels, and areas in units that need not be. */
#ifndef FOVEA_GEOMETRY_H
#define FOVEA_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

struct size {
    uint32_t w, h;
};

struct rect {
    uint32_t x, y, w, h;
};

/* A part of a source in its own units: whole pixels of a bitmap, points of a PDF, user units of an SVG. */
struct area {
    double x, y, w, h;
};

/* Whether a is less than b by more than rounding, which is in proportion to the side that both lie on. */
bool length_less(double a, double b, double side);

/* length * num / den to the nearest whole number, half to even, at least 1. den is not 0. */
uint32_t size_share(uint32_t length, uint32_t num, uint32_t den);

/* The shape of s with that longest side. No side may be 0. */
struct size size_at_edge(struct size s, uint32_t edge);

/*
 * s itself when it fits, else the largest of its shape that does. Where a size fits, smaller ones must fit too. One
 * that would not fit at any size comes back with a longest side of 1.
 */
struct size size_largest(struct size s, bool (*fits)(const void *arg, struct size s), const void *arg);

#endif

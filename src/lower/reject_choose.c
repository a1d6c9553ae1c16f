/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which picture a rejection means. A place that is named says it. Without one the words narrow it down, and of those that are left
 * it is the newest, since the older ones were accepted before; or the one that the words are most likely about. When none is
 * left it is none: a picture that did no harm is not taken from the model.
 */
#include <string.h>

#include "lower/write.h"

enum { WORTH_BYTES = 65536 }; /* a smaller version of less gains nothing */

static bool stands_there(const struct reject_spot *s, const struct lower_place *p)
{
    return s->place.message == p->message && (p->block == SIZE_MAX || s->place.block == p->block) &&
           (p->inner < 0 || s->place.inner == p->inner);
}

static bool odd_type(const struct reject_spot *s)
{
    return strcmp(s->type, "image/png") != 0 && strcmp(s->type, "image/jpeg") != 0;
}

/* Whether the words can mean it. */
static bool suits(const struct rejection *why, const struct reject_spot *s)
{
    if ((why->image && !s->image) || (why->document && s->image) || (why->in_result && !s->in_result))
        return false;
    return !why->format || (why->type[0] ? !strcmp(why->type, s->type) : odd_type(s));
}

/* Those that a smaller version may help come first, then those that must go, then the rest. */
static int64_t rank(const struct rejection *why, const struct reject_spot *s)
{
    bool worth = why->aim == REJECT_LONGEST || s->bytes > WORTH_BYTES;
    return s->repaired ? 1 : worth ? 2 : 0;
}

static int64_t weight(const struct rejection *why, const struct reject_spot *s)
{
    switch (why->aim) {
    case REJECT_SMALLEST:
        return -(int64_t)s->shortest;
    case REJECT_HEAVIEST:
        return s->bytes;
    case REJECT_LONGEST:
        return s->longest;
    default:
        return 0;
    }
}

static bool better(const struct rejection *why, const struct reject_spot *s, const struct reject_spot *than)
{
    bool large = why->aim == REJECT_HEAVIEST || why->aim == REJECT_LONGEST;
    if (!than)
        return true;
    if (large && rank(why, s) != rank(why, than))
        return rank(why, s) > rank(why, than);
    if (weight(why, s) != weight(why, than))
        return weight(why, s) > weight(why, than);
    return why->aim != REJECT_OLDEST;
}

const struct reject_spot *reject_choose(const struct rejection *why, const struct reject_spot *spots, size_t n)
{
    bool exact = why->placed && why->place.block != SIZE_MAX;
    const struct reject_spot *found = NULL;
    for (size_t i = 0; i < n; i++) {
        if (why->placed && !stands_there(&spots[i], &why->place))
            continue;
        if (exact || (suits(why, &spots[i]) && better(why, &spots[i], found)))
            found = &spots[i];
    }
    return found;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Dates, times and durations: RFC 3339, with its leap seconds, and its appendix A. */
#include <string.h>

#include "schema/schema_priv.h"

struct text {
    const char *s, *end;
};

static bool is_digit(const struct text *t)
{
    return t->s < t->end && *t->s >= '0' && *t->s <= '9';
}

static bool number(struct text *t, unsigned digits, unsigned *ret)
{
    *ret = 0;
    for (; digits; digits--, t->s++) {
        if (!is_digit(t))
            return false;
        *ret = 10 * *ret + (unsigned)(*t->s - '0');
    }
    return true;
}

static bool letter(struct text *t, char c)
{
    return t->s < t->end && (*t->s == c || (c >= 'A' && *t->s == (c | 0x20))) && t->s++;
}

static bool date(struct text *t)
{
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned year, month, day;
    if (!number(t, 4, &year) || !letter(t, '-') || !number(t, 2, &month) || !letter(t, '-') || !number(t, 2, &day))
        return false;
    if (!month || month > 12 || !day)
        return false;
    bool leap = year % 4 == 0 && (year % 100 || year % 400 == 0);
    return day <= days[month - 1] + (month == 2 && leap);
}

/* Z or +hh:mm; *ret is how many minutes to take off. */
static bool offset(struct text *t, int *ret)
{
    unsigned hour, minute;
    *ret = 0;
    if (letter(t, 'Z'))
        return true;
    int sign = letter(t, '+') ? 1 : letter(t, '-') ? -1 : 0;
    if (!sign || !number(t, 2, &hour) || !letter(t, ':') || !number(t, 2, &minute) || hour > 23 || minute > 59)
        return false;
    *ret = sign * (int)(60 * hour + minute);
    return true;
}

static bool time_of_day(struct text *t)
{
    unsigned hour, minute, second;
    int minutes;
    if (!number(t, 2, &hour) || !letter(t, ':') || !number(t, 2, &minute) || !letter(t, ':') || !number(t, 2, &second))
        return false;
    if (letter(t, '.')) {
        if (!is_digit(t))
            return false;
        while (is_digit(t))
            t->s++;
    }
    if (hour > 23 || minute > 59 || second > 60 || !offset(t, &minutes))
        return false;
    int utc = ((int)(60 * hour + minute) - minutes + 2 * 1440) % 1440;
    return second < 60 || utc == 1439; /* leap seconds come at the end of a day */
}

bool format_date(const char *s, size_t len)
{
    struct text t = {s, s + len};
    return date(&t) && t.s == t.end;
}

bool format_time(const char *s, size_t len)
{
    struct text t = {s, s + len};
    return time_of_day(&t) && t.s == t.end;
}

bool format_date_time(const char *s, size_t len)
{
    struct text t = {s, s + len};
    return date(&t) && letter(&t, 'T') && time_of_day(&t) && t.s == t.end;
}

/* Numbers, each with one of the units, in their order and without a gap between two of them. */
static bool elements(struct text *t, const char *units)
{
    const char *last = NULL;
    while (is_digit(t)) {
        while (is_digit(t))
            t->s++;
        const char *unit = t->s < t->end && *t->s ? strchr(units, *t->s) : NULL;
        if (!unit || (last && unit != last + 1))
            return false;
        last = unit;
        t->s++;
    }
    return last != NULL;
}

bool format_duration(const char *s, size_t len)
{
    struct text t = {s, s + len};
    if (t.s == t.end || *t.s++ != 'P' || t.s == t.end)
        return false;
    if (*t.s != 'T') {
        struct text weeks = t;
        if (elements(&weeks, "W") && weeks.s == weeks.end)
            return true;
        if (!elements(&t, "YMD"))
            return false;
    }
    if (t.s < t.end && *t.s == 'T') {
        t.s++;
        if (!elements(&t, "HMS"))
            return false;
    }
    return t.s == t.end;
}

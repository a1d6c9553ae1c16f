/* SPDX-License-Identifier: Apache-2.0 */
/* Telemetry events: see telemetry.h. One write to a file opened for appending is one line, whoever else writes there; a
 * FIFO or a device could hold an answer up, so only a regular file is written to. */
#include "ledger/telemetry.h"

#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/json_read.h"
#include "base/limits.h"

enum { COST_DIGITS = 15 }; /* as many as a double has for sure */

static void add(json_t *event, const char *name, json_t *value)
{
    (void)json_object_set_new(event, name, value); /* takes the value and says no to NULL */
}

static json_t *number_or_null(int64_t n)
{
    return n < 0 ? json_null() : json_integer(n);
}

static json_t *word_or_null(const char *s)
{
    return s ? json_string(s) : json_null();
}

static json_t *time_now(void)
{
    struct timespec now;
    struct tm utc;
    char words[64];
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (!gmtime_r(&now.tv_sec, &utc) || !strftime(words, sizeof words, "%Y-%m-%dT%H:%M:%S", &utc))
        return NULL;
    size_t len = strlen(words);
    (void)snprintf(words + len, sizeof words - len, ".%03ldZ", now.tv_nsec / 1000000);
    return json_string(words);
}

static char *line_new(const struct telemetry_event *e)
{
    json_t *event = json_object();
    add(event, "time", time_now());
    add(event, "kind", json_string("oneshot"));
    add(event, "tool", word_or_null(e->tool));
    add(event, "provider", word_or_null(e->provider));
    add(event, "model", word_or_null(e->model));
    add(event, "outcome", word_or_null(e->outcome));
    add(event, "duration_ms", json_integer(e->duration_ms));
    add(event, "input_tokens", number_or_null(e->input_tokens));
    add(event, "output_tokens", number_or_null(e->output_tokens));
    add(event, "cost_usd", e->nano < 0 ? json_null() : json_real((double)e->nano / 1e9));
    add(event, "cached", json_boolean(e->cached));
    add(event, "calls", json_integer(e->calls));
    char *line = json_text_new(event, JSON_COMPACT | JSON_REAL_PRECISION(COST_DIGITS));
    json_decref(event);
    return line;
}

void telemetry_write(const char *file, const struct telemetry_event *e)
{
    struct stat st;
    char whole[LIMIT_TELEMETRY_LINE];
    if (!file)
        return;
    auto_close int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return;
    auto_free char *line = line_new(e);
    int len = line ? snprintf(whole, sizeof whole, "%s\n", line) : -1;
    if (len < 0 || (size_t)len >= sizeof whole)
        return;
    ssize_t n = write(fd, whole, (size_t)len);
    (void)n; /* the answer matters more */
}

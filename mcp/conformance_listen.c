/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who wants to hear of what. Until 2025-11-25 a client sets its log level and subscribes to resources; both are kept by
 * client. Since 2026-07-28 a request says its own log level, and whoever wants news holds a subscription open, which
 * gets what it asked for and nothing else.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "conformance.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the two tables below */

/* ---------------------------------------------------------------- clients of the older kind */

static const char *const levels[] = {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};
enum { LEVEL_DEFAULT = 1 };

static int find_level(const char *name)
{
    for (size_t i = 0; name && i < COUNT(levels); i++)
        if (!strcmp(levels[i], name))
            return (int)i;
    return -1;
}

static struct habit {
    const struct client *client; /* NULL: free */
    int level;
    bool watches;
} habits[LIMIT_MCP_LISTENERS];
static size_t habit_oldest; /* makes room when all are taken */

/* With the lock held; NULL when there is none and none is wanted. */
static struct habit *find_habit(const struct client *c, bool make)
{
    struct habit *free = NULL;
    for (size_t i = 0; i < COUNT(habits); i++) {
        if (habits[i].client == c)
            return &habits[i];
        if (!habits[i].client && !free)
            free = &habits[i];
    }
    if (!make)
        return NULL;
    if (!free)
        free = &habits[habit_oldest++ % COUNT(habits)];
    *free = (struct habit){.client = c, .level = LEVEL_DEFAULT};
    return free;
}

static struct habit habit_of(const struct client *c)
{
    (void)pthread_mutex_lock(&lock);
    const struct habit *found = find_habit(c, false);
    struct habit h = found ? *found : (struct habit){.level = LEVEL_DEFAULT};
    (void)pthread_mutex_unlock(&lock);
    return h;
}

void fixture_client_gone(struct client *c)
{
    (void)pthread_mutex_lock(&lock);
    struct habit *h = find_habit(c, false);
    if (h)
        h->client = NULL;
    (void)pthread_mutex_unlock(&lock);
}

void fixture_set_level(struct exchange *e)
{
    int level = find_level(member_string(e->message.params, "level"));
    if (level < 0) {
        exchange_fail(e, RPC_PARAMS, "\"level\" must be one of debug, info, notice, warning, error, critical, alert, "
                                     "emergency");
        return;
    }
    (void)pthread_mutex_lock(&lock);
    find_habit(e->client, true)->level = level;
    (void)pthread_mutex_unlock(&lock);
    exchange_result(e, "");
}

static void set_watching(struct exchange *e, bool watches)
{
    const char *uri = member_string(e->message.params, "uri");
    if (!uri) {
        exchange_fail(e, RPC_PARAMS, "\"uri\" must be a string");
        return;
    }
    if (!fixture_has_resource(uri)) {
        fixture_no_resource(e, uri);
        return;
    }
    if (!strcmp(uri, FIXTURE_WATCHED)) { /* the others never change */
        (void)pthread_mutex_lock(&lock);
        find_habit(e->client, true)->watches = watches;
        (void)pthread_mutex_unlock(&lock);
    }
    exchange_result(e, "");
}

void fixture_subscribe(struct exchange *e)
{
    set_watching(e, true);
}

void fixture_unsubscribe(struct exchange *e)
{
    set_watching(e, false);
}

/* ---------------------------------------------------------------- log messages */

/* The least level that this request wants to hear of; -1 none. */
static int wanted_level(const struct exchange *e)
{
    if (e->modern)
        return find_level(member_string(e->message.meta, META "logLevel"));
    return habit_of(e->client).level;
}

void fixture_log(struct exchange *e, const char *level, const char *text)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    int wanted = wanted_level(e);
    if (wanted < 0 || find_level(level) < wanted)
        return;
    (void)buf_add_format(&b, "{\"level\":\"%s\",\"logger\":\"conformance\",\"data\":", level);
    (void)buf_add_json_str(&b, text);
    if (buf_add_str(&b, "}") == 0)
        exchange_note(e, "notifications/message", b.data);
}

/* ---------------------------------------------------------------- news */

static const struct news {
    const char *tool;   /* that triggers it */
    const char *filter; /* member of the request's filter; what it must hold is looked at by wants() */
    const char *uri;    /* of the resource, where the filter lists such */
    const char *method;
} news[] = {
    {"test_trigger_tool_change", "toolsListChanged", NULL, "notifications/tools/list_changed"},
    {"test_trigger_prompt_change", "promptsListChanged", NULL, "notifications/prompts/list_changed"},
    {"test_trigger_resource_update", "resourceSubscriptions", FIXTURE_WATCHED, "notifications/resources/updated"},
};

static struct exchange *listeners[LIMIT_MCP_LISTENERS];

static bool wants(const struct exchange *e, const struct news *n)
{
    json_t *value = json_object_get(json_object_get(e->message.params, "notifications"), n->filter), *uri;
    size_t i;
    if (!n->uri)
        return json_is_true(value);
    json_array_foreach(value, i, uri) {
        if (json_is_string(uri) && !strcmp(json_string_value(uri), n->uri))
            return true;
    }
    return false;
}

/* `"_meta":{...}` with the id of the subscription. */
static void add_subscription(struct buf *b, const struct exchange *e)
{
    auto_free char *id = json_text_new(e->message.id, JSON_ENCODE_ANY);
    (void)buf_add_format(b, "\"_meta\":{\"" META "subscriptionId\":%s}", id ? id : "0");
}

static void acknowledge(struct exchange *e)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    const char *comma = "";
    (void)buf_add_str(&b, "{");
    add_subscription(&b, e);
    (void)buf_add_str(&b, ",\"notifications\":{");
    for (size_t i = 0; i < COUNT(news); i++) {
        if (!wants(e, &news[i]))
            continue;
        (void)buf_add_format(&b, "%s\"%s\":", comma, news[i].filter);
        (void)(news[i].uri ? buf_add_format(&b, "[\"%s\"]", news[i].uri) : buf_add_str(&b, "true"));
        comma = ",";
    }
    if (buf_add_str(&b, "}}") == 0)
        exchange_note(e, "notifications/subscriptions/acknowledged", b.data);
}

/*
 * Takes those who hung up off the table; the lock is not held, because letting go of the last call of a client lets go
 * of the client too (fixture_client_gone).
 */
static void sweep(bool all)
{
    struct exchange *dead[LIMIT_MCP_LISTENERS];
    size_t n = 0;
    (void)pthread_mutex_lock(&lock);
    for (size_t i = 0; i < COUNT(listeners); i++)
        if (listeners[i] && (all || exchange_cancelled(listeners[i])))
            dead[n++] = take(listeners[i]);
    (void)pthread_mutex_unlock(&lock);
    while (n)
        exchange_unref(dead[--n]);
}

void fixture_end(void)
{
    sweep(true);
}

static bool start_listening(struct exchange *e)
{
    for (size_t i = 0; i < COUNT(listeners); i++)
        if (!listeners[i]) {
            acknowledge(e);
            listeners[i] = exchange_ref(e);
            return true;
        }
    return false;
}

void fixture_listen(struct exchange *e)
{
    if (!member(e->message.params, "notifications", JSON_OBJECT)) {
        exchange_fail(e, RPC_PARAMS, "\"notifications\" must be an object");
        return;
    }
    sweep(false);
    /* With the lock: news that come now wait, because the acknowledgement goes first. */
    (void)pthread_mutex_lock(&lock);
    bool listens = start_listening(e);
    (void)pthread_mutex_unlock(&lock);
    if (!listens)
        exchange_fail(e, RPC_INTERNAL, "too many subscriptions are open");
}

static void tell_news(struct exchange *to, const struct news *n, bool subscription)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    (void)buf_add_str(&b, "{");
    if (n->uri)
        (void)buf_add_format(&b, "\"uri\":\"%s\"%s", n->uri, subscription ? "," : "");
    if (subscription)
        add_subscription(&b, to);
    if (buf_add_str(&b, "}") == 0)
        exchange_note(to, n->method, b.data);
}

static void spread(const struct news *n)
{
    struct exchange *to[LIMIT_MCP_LISTENERS];
    size_t count = 0;
    sweep(false);
    (void)pthread_mutex_lock(&lock);
    for (size_t i = 0; i < COUNT(listeners); i++)
        if (listeners[i] && wants(listeners[i], n))
            to[count++] = exchange_ref(listeners[i]);
    (void)pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < count; i++) {
        tell_news(to[i], n, true);
        exchange_unref(to[i]);
    }
}

void fixture_trigger(struct exchange *e, const char *tool, json_t *arguments)
{
    (void)arguments;
    for (size_t i = 0; i < COUNT(news); i++) {
        if (strcmp(news[i].tool, tool) != 0)
            continue;
        spread(&news[i]);
        if (!e->modern && news[i].uri && habit_of(e->client).watches)
            tell_news(e, &news[i], false);
    }
    fixture_text(e, false, "It was announced.");
}

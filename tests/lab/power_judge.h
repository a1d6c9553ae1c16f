/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a record holds, told in full: what fsck says, the sessions, every entry with the bytes of its pictures, and what each session
 * is lowered to for four wires. Two records that tell the same are the same. Told through the public header, by a context that is
 * made for it: what a program finds that starts after the power came back.
 */
#ifndef FOVEA_POWER_JUDGE_H
#define FOVEA_POWER_JUDGE_H

#include <inttypes.h>

#include "api/context.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "fovea.h"
#include "handles.h"
#include "power_disk.h"
#include "record/record_priv.h"
#include "record/sqlite_priv.h"
#include "transcript/transcript.h"

enum { TOLD_MOST = 64 << 20, SESSIONS_MOST = 32 };

struct told {
    struct buf text;
    char names[SESSIONS_MOST][LIMIT_SESSION_NAME + 1];
    int64_t entries[SESSIONS_MOST];
    size_t n;
    char why[256]; /* the first that was wrong with it, for people */
};

static fovea *context_in(const char *state_home)
{
    fovea *f = NULL;
    (void)setenv("XDG_STATE_HOME", state_home, 1);
    return fovea_new(&(struct fovea_options){.config_file = ""}, &f, NULL) == 0 ? f : NULL;
}

static fovea_session *session_of(fovea *f, const char *name)
{
    fovea_session *s = NULL;
    return fovea_session_new(f, &(struct fovea_session_options){.name = name}, &s, NULL) == 0 ? s : NULL;
}

static int tell_piece(void *arg, const char *piece, size_t len)
{
    return buf_add(arg, piece, len);
}

static void tell_session(const struct fovea_session_info *i, void *arg)
{
    struct told *t = arg;
    (void)buf_add_format(&t->text, "session %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", i->name,
                         i->entries, i->created_ms, i->last_ms, i->bytes, i->blobs, i->blob_bytes);
    if (t->n < SESSIONS_MOST) {
        (void)snprintf(t->names[t->n], sizeof t->names[0], "%s", i->name);
        t->entries[t->n++] = i->entries;
    }
}

static void tell_problem(const struct fovea_problem *p, void *arg)
{
    struct told *t = arg;
    (void)buf_add_format(&t->text, "problem %s %" PRId64 " %s\n", p->session, p->entry, p->what);
    if (!t->why[0])
        (void)snprintf(t->why, sizeof t->why, "fsck: %.60s %" PRId64 " %.150s", p->session, p->entry, p->what);
}

/* What went wrong is part of what is told, so that it equals nothing. */
static void tell_code(struct told *t, const char *what, int code, const struct fovea_fault *fault)
{
    (void)buf_add_format(&t->text, "\n%s %d\n", what, code);
    if (code < 0 && !t->why[0])
        (void)snprintf(t->why, sizeof t->why, "%s: %.200s", what, fault->text);
}

static const struct fovea_lower_request ways[] = {
    {.model = "anthropic/claude-opus-4-7", .retain = "auto"},
    {.model = "openai/gpt-5", .wire = "openai-chat", .retain = "turns:2"},
    {.model = "openai/gpt-6-sol", .retain = "all"},
    {.model = "google/gemini-2.5-pro", .retain = "turns:1"},
};

static void tell_whole(fovea *f, struct told *t, size_t i)
{
    struct fovea_fault fault = {0};
    auto_session *s = session_of(f, t->names[i]);
    if (!s)
        return tell_code(t, "session", -ENOMEM, &fault);
    tell_code(t, "export", fovea_session_export(s, NULL, FOVEA_JSON_DATA, tell_piece, &t->text, &fault), &fault);
    for (size_t w = 0; w < COUNT(ways); w++)
        tell_code(t, ways[w].model, fovea_lower(s, &ways[w], tell_piece, &t->text, NULL, &fault), &fault);
}

static void tell_variant(fovea *f, struct told *t, const uint8_t *of, const char *spec)
{
    struct record_variant v;
    struct fovea_fault fault = {0};
    auto_free void *data = NULL;
    size_t len = 0;
    int code = record_variant(f->record, of, spec, &v, &fault);
    if (code == 0) {
        (void)buf_add_format(&t->text, "variant %s %ux%u ", v.media_type, v.width, v.height);
        code = record_blob(f->record, v.sha256, &data, &len, &fault);
        (void)buf_add(&t->text, data ? data : "", len);
    }
    tell_code(t, "variant", code == -ENOENT ? 0 : code, &fault);
}

/* The version that the work makes of a picture. */
static const char variant_spec[] = "edge=100";
static uint8_t variant_of[SHA256_LEN];

static void tell(fovea *f, struct told *t)
{
    struct fovea_fault fault = {0};
    struct fovea_checked c = {0};
    t->text.len = 0;
    t->n = 0;
    t->why[0] = '\0';
    int code = fovea_record_check(f, NULL, false, tell_problem, t, &c, &fault);
    (void)buf_add_format(&t->text, "checked %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, c.sessions, c.entries, c.blobs,
                         c.bytes, c.problems);
    tell_code(t, "fsck", code, &fault);
    tell_code(t, "sessions", fovea_sessions(f, NULL, tell_session, t, &fault), &fault);
    for (size_t i = 0; i < t->n; i++)
        tell_whole(f, t, i);
    tell_variant(f, t, variant_of, variant_spec);
}

static void told_hash(const struct told *t, uint8_t ret[static SHA256_LEN])
{
    sha256(t->text.data ? t->text.data : "", t->text.len, ret);
}

/* ---------------------------------------------------------------- going on afterwards */

static int is_said(void *arg, int64_t seq, const char *json, size_t len)
{
    (void)seq;
    *(bool *)arg |= memmem(json, len, "after the power came back", 25) != NULL;
    return 0;
}

static bool can_say(fovea *f, const char *name, int64_t entries, char *why, size_t room)
{
    static const char words[] = "{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"after the power came back\"}]}";
    struct fovea_fault fault = {0};
    struct fovea_appended done = {0};
    bool said = false;
    auto_session *s = session_of(f, name);
    int r = s ? fovea_session_append(s, words, sizeof words - 1, NULL, &done, &fault) : -ENOMEM;
    if (r == 0)
        r = fovea_session_entries(s, entries, is_said, &said, &fault);
    if (r == 0 && said && done.first == entries + 1 && done.last == done.first)
        return true;
    (void)snprintf(why, room, "cannot be appended to: %.200s", r < 0 ? fault.text : "what was said is not there");
    return false;
}

/* An entry to a session that is there, if any, and to a new one. */
static bool can_go_on(fovea *f, struct told *t)
{
    return (!t->n || can_say(f, t->names[0], t->entries[0], t->why, sizeof t->why)) &&
           can_say(f, "afterwards", 0, t->why, sizeof t->why);
}

/* ---------------------------------------------------------------- the record alone, without a context around it */

static void close_record(struct record **r)
{
    record_close(*r);
}
#define auto_record cleanup(close_record) struct record

static struct record *record_in(const char *folder)
{
    struct record *r = NULL;
    struct record_options o = {.where = "sqlite:", .folder = folder, .derive = entry_derive};
    return record_open(&o, &r, NULL) == 0 ? r : NULL;
}

/* Every page of the database as it is after recovery, by the record's own connection. What a record tells follows from nothing else.
 * False where it cannot be had. */
static bool image_of(struct record *r, struct print *ret)
{
    struct record_point last;
    sqlite3_int64 len = 0;
    if (!r || record_last(r, "alpha", &last, NULL) < 0 || !r->backend->db)
        return false;
    uint8_t *image = sqlite3_serialize(r->backend->db, "main", &len, 0);
    if (!image)
        return false;
    *ret = (struct print){3, 4};
    print_add(ret, image, (size_t)len);
    sqlite3_free(image);
    return true;
}

static int is_row(const struct record_entry *e, void *arg)
{
    const struct record_new *want = arg;
    return e->len == want->len && !memcmp(e->body, want->body, want->len) ? 0 : -EBADMSG;
}

static bool takes_more(struct record *r, const char *name)
{
    static const char words[] = "{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"more\"}]}";
    struct record_new e = {words, sizeof words - 1};
    struct record_append a = {.session = name, .entries = &e, .count = 1, .after = -1};
    struct record_appended done;
    struct record_point at;
    if (record_last(r, name, &at, NULL) < 0 || record_append(r, &a, &done, NULL) < 0 || done.last != at.seq + 1)
        return false;
    return record_read(r, name, &at, is_row, &e, NULL) == 0 && at.seq == done.last;
}

/* ---------------------------------------------------------------- states as files */

/* What the record leaves in a place. */
static const char *const leavings[] = {"/state/fovea/record.db", "/state/fovea/record.db-wal", "/state/fovea/record.db-shm",
                                       "/state/fovea/record.db-journal", "/state/fovea/record.db.lease"};
enum { LEAVING_SHM = 2 };

struct placing {
    const char *top;
    bool whole, there[COUNT(leavings)];
};

/* Over what is there: making pages anew is dear. */
static bool put_file(const char *path, const void *data, size_t len)
{
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd >= 0 && (!len || pwrite(fd, data, len, 0) == (ssize_t)len) && ftruncate(fd, (off_t)len) == 0;
}

static void place_one(const char *path, const struct disk_node *n, void *arg)
{
    struct placing *p = arg;
    char full[640];
    (void)snprintf(full, sizeof full, "%s%s", p->top, path);
    p->whole &= n->folder ? mkdir(full, 0700) == 0 || errno == EEXIST : put_file(full, n->data, n->len);
    for (size_t i = 0; i < COUNT(leavings); i++)
        p->there[i] |= !strcmp(leavings[i], path);
}

static void place_folder(const char *path, const struct disk_node *n, void *arg)
{
    if (n->folder)
        place_one(path, n, arg);
}

/* Removes what is not said to be there, and folders that are empty then. */
static void clear_place(const char *top, const bool *there)
{
    char path[640];
    for (size_t i = 0; i < COUNT(leavings); i++) {
        (void)snprintf(path, sizeof path, "%s%s", top, leavings[i]);
        if (!there || !there[i])
            (void)unlink(path);
    }
    (void)snprintf(path, sizeof path, "%s/state/fovea", top);
    (void)rmdir(path);
    (void)snprintf(path, sizeof path, "%s/state", top);
    (void)rmdir(path);
}

/* stale: with an index of the log that is rubbish, as one that was being written may be. */
static bool place_state(const struct disk *d, const char *top, bool stale)
{
    static uint8_t rubbish[32768];
    struct placing p = {.top = top, .whole = true};
    char path[640];
    uint64_t state = 7;
    disk_walk(d, 0, "", place_one, &p);
    clear_place(top, p.there);
    disk_walk(d, 0, "", place_folder, &p); /* empty ones are there too */
    if (!stale)
        return p.whole;
    for (size_t i = 0; i < sizeof rubbish && !rubbish[0]; i++)
        rubbish[sizeof rubbish - 1 - i] = (uint8_t)(disk_random(&state) | 1);
    (void)snprintf(path, sizeof path, "%s%s", top, leavings[LEAVING_SHM]);
    (void)put_file(path, rubbish, sizeof rubbish);
    return p.whole;
}

#endif

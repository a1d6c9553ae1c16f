/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lowering, by cases: tests/cases/lower/NAME.case has sections that start with "== ":
 *
 *   == entries               one entry a line
 *   == WIRE WORDS...         what those are on that wire, on one line, to the byte. Words: native, sibling, reattach, bridge,
 *                            signatures, blind, nopdf, asis, retain=POLICY, thinking (bound), full, provider=NAME
 *   == report                everything that was told in the section before, a line each
 */
#include "test.h"

#include "lowering.h"

struct asked {
    struct target t;
    bool as_is, full;
    char retain[32];
};

static void take_word(struct asked *a, const char *word)
{
    static const char *const ways[] = {"native", "sibling", "reattach"};
    for (size_t i = 0; i < COUNT(ways); i++)
        if (!strcmp(word, ways[i]))
            a->t.tool_image = (enum tool_image)i;
    a->t.bridge = a->t.bridge || !strcmp(word, "bridge");
    a->t.thought_signatures = a->t.thought_signatures || !strcmp(word, "signatures");
    a->t.bound_thinking = a->t.bound_thinking || !strcmp(word, "thinking");
    a->as_is = a->as_is || !strcmp(word, "asis");
    a->t.vision = a->t.vision && strcmp(word, "blind") != 0;
    a->t.pdf = a->t.pdf && strcmp(word, "nopdf") != 0;
    if (!strncmp(word, "retain=", 7))
        (void)snprintf(a->retain, sizeof a->retain, "%s", word + 7);
    if (!strncmp(word, "provider=", 9))
        (void)snprintf(a->t.provider, sizeof a->t.provider, "%s", word + 9);
    a->full = a->full || !strcmp(word, "full");
}

/* "anthropic native retain=turns:1" */
static bool read_asked(char *line, struct asked *a)
{
    char *rest = line, *word = strsep(&rest, " ");
    int wire = lower_wire_find(word);
    if (wire < 0)
        return false;
    *a = (struct asked){.t = target_of(wire)};
    while ((word = strsep(&rest, " ")))
        take_word(a, word);
    return true;
}

static void run_asked(const struct session *s, const struct asked *a, struct run *r)
{
    struct replay *replay = a->retain[0] ? replay_all(s, &a->t, a->retain) : NULL;
    CHECK(!a->retain[0] || replay);
    lower_full = a->full;
    CHECK(lower_all(s, &a->t, replay, a->as_is, r) == 0);
    lower_full = false;
    replay_free(replay);
}

static char *slurp(const char *path)
{
    auto_buf b = BUF_INIT(4 * MIB);
    char piece[4096];
    FILE *f = fopen(path, "rb");
    for (size_t n; f && (n = fread(piece, 1, sizeof piece, f)) > 0;)
        (void)buf_add(&b, piece, n);
    if (f)
        (void)fclose(f);
    return buf_take(&b);
}

struct reading {
    const char *name;
    struct session session;
    struct asked asked;
    char head[300];
    struct run run;
    bool entries, report, ran;
    struct buf reports;
};

static void end_report(struct reading *c)
{
    if (c->report)
        CHECK_MSG(!strcmp(c->reports.data ? c->reports.data : "", c->run.reports.data ? c->run.reports.data : ""),
                  "%s, %s: told\n%s", c->name, c->head, c->run.reports.data ? c->run.reports.data : "");
    c->report = false;
    c->reports.len = 0;
    if (c->reports.data)
        c->reports.data[0] = '\0';
}

static void take_section(struct reading *c, char *line)
{
    end_report(c);
    c->entries = !strcmp(line, "entries");
    c->report = !strcmp(line, "report");
    if (c->entries || c->report)
        return;
    (void)snprintf(c->head, sizeof c->head, "%s", line);
    if (c->ran)
        run_done(&c->run);
    c->ran = read_asked(line, &c->asked);
    CHECK_MSG(c->ran, "%s: no such wire: %s", c->name, c->head);
    if (c->ran)
        run_asked(&c->session, &c->asked, &c->run);
}

static void take_line(struct reading *c, char *line)
{
    if (!strncmp(line, "== ", 3))
        take_section(c, line + 3);
    else if (c->report && line[0])
        (void)buf_add_format(&c->reports, "%s\n", line);
    else if (c->entries && line[0])
        session_add(&c->session, strdup(line), strlen(line));
    else if (line[0] && !c->report)
        CHECK_MSG(c->ran && c->run.out.data && !strcmp(line, c->run.out.data), "%s, %s:\n want %s\n got  %s", c->name, c->head, line,
                  c->run.out.data);
}

static void check_case(const char *path)
{
    auto_free char *text = slurp(path);
    struct reading c = {.name = path, .reports = BUF_INIT(MIB)};
    for (char *rest = text, *line; rest && (line = strsep(&rest, "\n"));)
        take_line(&c, line);
    end_report(&c);
    if (c.ran)
        run_done(&c.run);
    session_done(&c.session);
    buf_done(&c.reports);
}

TEST(every_case_is_lowered_as_it_says)
{
    size_t n = 0;
    DIR *d = opendir("tests/cases/lower");
    for (struct dirent *f; d && (f = readdir(d));) {
        char path[600];
        if (f->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "tests/cases/lower/%s", f->d_name);
        check_case(path);
        n++;
    }
    if (d)
        (void)closedir(d);
    CHECK_MSG(n > 10, "%zu cases", n);
}

/* A cut in the middle of a turn: the array alone has no thought that is bound to what went, with the envelope the latest ones stay. */
TEST(an_array_without_its_envelope_has_no_thoughts_that_are_bound_to_what_went)
{
    static const char *const lines[] = {
        "{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"q\"}]}",
        "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"opaque\",\"wire\":\"anthropic\",\"thinking\":true,\"value\":{\"type\":\"thinking\","
        "\"signature\":\"first\"}},{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"view\",\"arguments\":{\"path\":\"a\"}}]}",
        "{\"kind\":\"tool_result\",\"call\":\"c1\",\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\""
        "0101010101010101010101010101010101010101010101010101010101010101\",\"bytes\":32,\"width\":80,\"height\":60}]}",
        "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"opaque\",\"wire\":\"anthropic\",\"thinking\":true,\"value\":{\"type\":\"thinking\","
        "\"signature\":\"second\"}},{\"type\":\"tool_call\",\"id\":\"c2\",\"name\":\"view\",\"arguments\":{\"path\":\"b\"}}]}",
        "{\"kind\":\"tool_result\",\"call\":\"c2\",\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\""
        "0202020202020202020202020202020202020202020202020202020202020202\",\"bytes\":32,\"width\":80,\"height\":60}]}",
    };
    struct target t = target_of(LOWER_ANTHROPIC);
    struct session s = {0};
    t.bound_thinking = true;
    t.limits.images = 1;
    for (size_t i = 0; i < COUNT(lines); i++)
        session_add(&s, strdup(lines[i]), strlen(lines[i]));
    struct replay *replay = replay_all(&s, &t, "all");
    struct replay_thinking th = replay_thinking(replay);
    CHECK(th.loose && th.before == 4 && th.alone == 6);
    for (int full = 0; full < 2; full++) {
        struct run r;
        lower_full = full;
        CHECK(lower_all(&s, &t, replay, false, &r) == 0);
        CHECK(!strstr(r.out.data, "first") && !strstr(r.out.data, "second") == !full);
        run_done(&r);
    }
    lower_full = false;
    replay_free(replay);
    session_done(&s);
}

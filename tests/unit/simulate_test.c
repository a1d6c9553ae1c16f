/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator: auto against the other policies on every trace, and the same bytes every time. */
#include "test.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "comma.h"
#include "lower/simulate.h"
#include "lower/trace.h"

struct lines {
    char **at;
    size_t n, next, images;
    struct entry_room room;
};

static int keep(void *arg, const char *json, size_t len)
{
    struct lines *l = arg;
    l->at = reallocarray(l->at, l->n + 1, sizeof *l->at);
    l->at[l->n++] = strndup(json, len);
    return 0;
}

static void lines_done(struct lines *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i]);
    free(l->at);
    entry_room_done(&l->room);
}
#define auto_lines cleanup(lines_done) struct lines

static int next_line(void *arg, struct entry *ret)
{
    struct lines *l = arg;
    if (l->next == l->n)
        return 0;
    const char *line = l->at[l->next++];
    int r = entry_read(line, strlen(line), (int64_t)l->next, &l->room, ret);
    for (size_t i = 0; r == 0 && i < ret->n_parts; i++)
        l->images += ret->parts[i].type == PART_IMAGE;
    return r < 0 ? r : 1;
}

static void make(const char *name, uint64_t seed, bool data, struct lines *to)
{
    struct trace_ask ask = {.name = name, .seed = seed, .data = data};
    CHECK_MSG(trace_make(&ask, keep, to) == 0, "%s", name);
}

static const char *const models[][2] = {{"anthropic", "claude-opus-4-7"}, {"anthropic", "claude-sonnet-5-5"}, {"openai", "gpt-5"},
                                        {"openai", "gpt-6-sol"}, {"google", "gemini-2.5-pro"}, {"google", "gemini-3.8-flash"},
                                        {"openai", "gpt-4-turbo"}};
enum { MODELS = COUNT(models), OTHERS = 4, AUTO = 4, POLICIES = 5 };

static struct target target_of(const struct models *m, size_t i)
{
    struct target t;
    CHECK(target_make(m, &(struct target_ask){.provider = models[i][0], .model = models[i][1]}, &t, NULL) == 0);
    return t;
}

static struct simulation run(const struct target *t, struct lines *l)
{
    struct simulation s = {0};
    struct sim_ask ask = {t, sim_policies, POLICIES, REPLAY_HOST_TOKENS, next_line, l};
    l->next = l->images = 0;
    CHECK(simulate(&ask, &s) == 0);
    return s;
}

static double best_other(const struct simulation *s)
{
    double best = 1e300;
    for (size_t p = 0; p < OTHERS; p++)
        best = MIN(best, (double)s->runs[p].sum.units);
    return best;
}

/* The last model caches nothing: there auto does what turns:1 does, and no less can be had with the current turn live. */
TEST(auto_costs_at_most_1_05_of_the_best_on_every_trace_and_less_in_total_than_each)
{
    struct models *m = models_new();
    double sums[MODELS][POLICIES] = {{0}};
    for (size_t n = 0; strcmp(trace_names[n], "random") != 0; n++) {
        auto_lines l = {0};
        make(trace_names[n], 1, false, &l);
        for (size_t i = 0; i < MODELS; i++) {
            struct target t = target_of(m, i);
            struct simulation s = run(&t, &l);
            double ratio = (double)s.runs[AUTO].sum.units / best_other(&s);
            CHECK_MSG(ratio <= 1.05, "%s %s: %.3f", trace_names[n], t.model, ratio);
            for (size_t p = 0; p < POLICIES; p++)
                sums[i][p] += (double)s.runs[p].sum.units;
            simulation_done(&s);
        }
    }
    for (size_t i = 0; i < MODELS; i++)
        for (size_t p = 0; p < OTHERS; p++)
            CHECK_MSG(sums[i][AUTO] < sums[i][p] || (i == MODELS - 1 && p == 1 && sums[i][AUTO] <= sums[i][p]), "%s %s: %.4f", models[i][1],
                      sim_policies[p], sums[i][AUTO] / sums[i][p]);
    models_free(m);
}

TEST(auto_is_near_the_better_of_all_and_turns_on_sessions_that_nobody_chose)
{
    struct models *m = models_new();
    double sum = 0, worst = 0;
    size_t n = 0;
    for (uint64_t seed = 5000; seed < 5060; seed++) {
        auto_lines l = {0};
        make("random", seed, false, &l);
        for (size_t i = 0; i < MODELS - 1; i++) {
            struct target t = target_of(m, i);
            struct simulation s = run(&t, &l);
            double ratio = (double)s.runs[AUTO].sum.units / (double)MIN(s.runs[0].sum.units, s.runs[1].sum.units);
            sum += ratio;
            worst = MAX(worst, ratio);
            n++;
            simulation_done(&s);
        }
    }
    CHECK_MSG(sum / (double)n < 1.005 && worst < 1.1, "mean %.4f, worst %.3f", sum / (double)n, worst);
    models_free(m);
}

TEST(a_trace_is_the_same_every_time_and_what_its_name_says)
{
    for (size_t n = 0; trace_names[n]; n++) {
        auto_lines a = {0}, b = {0};
        struct entry e;
        make(trace_names[n], 7, false, &a);
        make(trace_names[n], 7, false, &b);
        CHECK(a.n == b.n && trace_words(trace_names[n]));
        for (size_t i = 0; i < a.n; i++)
            CHECK(strcmp(a.at[i], b.at[i]) == 0);
        while (next_line(&a, &e) > 0)
            ;
        CHECK(a.next == a.n);
        CHECK(strcmp(trace_names[n], "images200") != 0 || a.images == 200);
    }
    CHECK(!trace_words("nothing") && trace_make(&(struct trace_ask){.name = "nothing"}, keep, NULL) == -EINVAL);
}

TEST(a_trace_with_data_has_pictures_of_its_sizes_and_documents)
{
    auto_lines l = {0};
    make("pdf", 1, true, &l);
    size_t pictures = 0, papers = 0;
    for (size_t i = 0; i < l.n; i++) {
        const char *at = l.at[i];
        CHECK(strlen(at) < 200000);
        while ((at = strstr(at, "\"data\":\"")) != NULL) {
            at += 8;
            pictures += strncmp(at, "iVBORw0KGgo", 11) == 0;
            papers += strncmp(at, "JVBERi0", 7) == 0;
        }
    }
    CHECK(pictures > 3 && papers > 1);
    auto_buf png = BUF_INIT(1 << 20);
    CHECK(trace_png(&png, 1280, 800, 3) == 0 && png.len < 20000);
    CHECK(memcmp(png.data + 16, "\0\0\5\0\0\0\3\x20", 8) == 0);
}

TEST(tables_and_plots_are_the_same_every_time_and_hold_every_policy)
{
    struct models *m = models_new();
    auto_lines l = {0};
    make("screenshots", 1, false, &l);
    struct target t = target_of(m, 0);
    struct simulation s = run(&t, &l), again = run(&t, &l);
    auto_buf one = BUF_INIT(LIMIT_SIM_TEXT), two = BUF_INIT(LIMIT_SIM_TEXT), svg = BUF_INIT(LIMIT_SIM_TEXT), twice = BUF_INIT(LIMIT_SIM_TEXT);
    CHECK(simulation_table(&s, true, &one) == 0 && simulation_table(&again, true, &two) == 0);
    CHECK(strcmp(one.data, two.data) == 0);
    CHECK(simulation_plot(&s, "a <b> & c", &svg) == 0 && simulation_plot(&again, "a <b> & c", &twice) == 0);
    CHECK(strcmp(svg.data, twice.data) == 0 && !strstr(svg.data, "<b>") && !strstr(svg.data, "nan") && !strstr(svg.data, "inf"));
    for (size_t p = 0; p < POLICIES; p++) {
        int64_t cost = 0;
        CHECK(strstr(one.data, sim_policies[p]) && strstr(svg.data, sim_policies[p]));
        for (size_t i = 0; i < s.runs[p].n_rows; i++)
            cost += s.runs[p].rows[i].cost_nano;
        CHECK(cost == s.runs[p].sum.cost_nano && s.runs[p].n_rows == s.runs[0].n_rows);
    }
    simulation_done(&s);
    simulation_done(&again);
    models_free(m);
}

TEST(a_plot_is_the_same_where_the_locale_writes_a_comma)
{
    struct models *m = models_new();
    auto_lines l = {0};
    make("short", 1, false, &l);
    struct target t = target_of(m, 0);
    struct simulation s = run(&t, &l);
    auto_buf one = BUF_INIT(LIMIT_SIM_TEXT), two = BUF_INIT(LIMIT_SIM_TEXT);
    CHECK(simulation_plot(&s, "a", &one) == 0);
    bool made = comma_on();
    CHECK(simulation_plot(&s, "a", &two) == 0);
    comma_off();
    CHECK_STR(two.data, one.data);
    simulation_done(&s);
    models_free(m);
    if (!made)
        SKIP("no locale with a comma can be made here (localedef)");
}

TEST(a_question_without_an_answer_is_a_request)
{
    struct models *m = models_new();
    auto_lines l = {0};
    make("short", 1, false, &l);
    struct target t = target_of(m, 0);
    struct simulation whole = run(&t, &l);
    free(l.at[--l.n]);
    struct simulation cut = run(&t, &l);
    CHECK(whole.runs[0].n_rows == cut.runs[0].n_rows && whole.runs[AUTO].sum.units == cut.runs[AUTO].sum.units);
    simulation_done(&whole);
    simulation_done(&cut);
    struct simulation none;
    CHECK(simulate(&(struct sim_ask){&t, (const char *const[]){"some"}, 1, 0, next_line, &l}, &none) == -EINVAL);
    models_free(m);
}

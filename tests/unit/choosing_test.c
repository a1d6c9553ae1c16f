/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a model for a call where only its host knows it: whole contexts with a config, against a server on the loopback. */
#include "test.h"

#include <errno.h>

#include "api/choosing.h"
#include "api/discovery_priv.h"
#include "base/buf.h"
#include "base/clock.h"
#include "loopback.h"

#define LIST(...) "{\"data\":[" __VA_ARGS__ "]}"
#define SHOW(id, can) {"POST /api/show", "200", "{\"capabilities\":[" can "]}", "{\"model\":\"" id "\"}"}

/* A server with a model that sees, one that does not, and one that it cannot tell of. */
static const struct page ollama[] = {
    {"GET /v1/models", "200", LIST("{\"id\":\"blind\"},{\"id\":\"sees\",\"context_length\":4096}"), NULL},
    SHOW("blind", "\"completion\""),
    SHOW("sees", "\"completion\",\"vision\""),
    {0},
};
/* One that takes every name for its model. */
static const struct page llama[] = {
    {"GET /v1/models", "200", LIST("{\"id\":\"/models/gemma.gguf\"}"), NULL},
    {"GET /props", "200", "{\"modalities\":{\"vision\":true}}", NULL},
    {0},
};
static const struct page broken[] = {{"GET /v1/models", "500", "{}", NULL}, {0}};
static const struct page silent[] = {{"GET /v1/models", "hang", "", NULL}, {0}};

/* The machine's own keys are none of the tests'. */
__attribute__((constructor)) static void forget_keys(void)
{
    static const char *const names[] = {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "NOUS_API_KEY"};
    for (size_t i = 0; i < COUNT(names); i++)
        (void)unsetenv(names[i]);
}

struct scene {
    struct loopback server;
    fovea *f;
};

/* yaml: a config with one %s for the server's address. */
static void scene_start(struct scene *s, const struct page *pages, const char *yaml)
{
    char file[] = "/tmp/fovea-choosing-XXXXXX.yaml";
    struct fovea_fault fault = {0};
    int fd = mkstemps(file, 5);
    loopback_start(&s->server, pages);
    const char *gap = strstr(yaml, "%s");
    CHECK(dprintf(fd, "%.*s%s%s\n", (int)(gap - yaml), yaml, s->server.base, gap + 2) > 0);
    close_fd(fd);
    s->f = NULL;
    CHECK_MSG(fovea_new(&(struct fovea_options){.config_file = file}, &s->f, &fault) == 0, "%s", fault.text);
    (void)unlink(file);
}

static void scene_end(struct scene *s)
{
    fovea_free(s->f);
    loopback_stop(&s->server);
}

static enum choose_verdict choose_in(struct scene *s, const char *model, const char *main, struct choice *ret)
{
    fovea_session *session = NULL;
    struct fovea_fault fault = {0};
    CHECK(fovea_session_new(s->f, &(struct fovea_session_options){.main = main}, &session, &fault) == 0);
    auto_call c = {0};
    CHECK_MSG(call_init(&c, s->f, session, NULL, &fault) == 0, "%s", fault.text);
    *ret = (struct choice){0};
    enum choose_verdict v = choosing_for(&c, model, MODEL_VISION, ret);
    fovea_session_free(session);
    return v;
}

#define HOME "providers: {home: {baseUrl: \"%s\", auth: none}}"

TEST(a_model_that_only_its_host_knows_is_asked_for_once)
{
    struct scene s;
    struct choice c, again, blind;
    scene_start(&s, ollama, HOME);
    CHECK(choose_in(&s, "home/sees", NULL, &c) == CHOOSE_OK);
    CHECK(c.model && !strcmp(c.id, "sees") && c.model->context == 4096 && c.model->price.input < 0);
    int requests = s.server.requests;
    CHECK(choose_in(&s, "home/sees:high", NULL, &again) == CHOOSE_OK && again.model == c.model);
    CHECK(s.server.requests == requests);
    CHECK(choose_in(&s, "home/blind", NULL, &blind) == CHOOSE_CANNOT && blind.model);
    CHECK(choose_in(&s, "home/gone", NULL, &blind) == CHOOSE_CANNOT && !blind.model);
    scene_end(&s);
}

TEST(a_host_that_is_named_alone_gives_its_first_model_that_sees)
{
    struct scene s;
    struct choice c;
    scene_start(&s, ollama, "provider: home\n" HOME);
    CHECK(choose_in(&s, NULL, NULL, &c) == CHOOSE_OK);
    CHECK_STR(c.id, "sees");
    scene_end(&s);
    scene_start(&s, ollama, "provider: ollama\nbaseUrl: \"%s\"");
    CHECK(choose_in(&s, NULL, NULL, &c) == CHOOSE_OK && !strcmp(c.provider->name, "ollama"));
    CHECK_STR(c.id, "sees");
    scene_end(&s);
}

TEST(a_listed_host_comes_before_ocr)
{
    struct scene s;
    struct choice c;
    scene_start(&s, ollama, HOME);
    CHECK(choose_in(&s, NULL, NULL, &c) == CHOOSE_OK && c.from == FROM_FIRST);
    CHECK_STR(c.id, "sees");
    scene_end(&s);
    scene_start(&s, broken, HOME);
    CHECK(choose_in(&s, NULL, NULL, &c) == CHOOSE_OK);
    CHECK_STR(c.id, "ocr");
    scene_end(&s);
}

TEST(a_bare_name_is_looked_for_at_the_hosts_that_are_listed)
{
    struct scene s;
    struct choice c;
    scene_start(&s, ollama, HOME);
    CHECK(choose_in(&s, "sees", NULL, &c) == CHOOSE_OK && !strcmp(c.provider->name, "home"));
    CHECK(choose_in(&s, "gone", NULL, &c) == CHOOSE_UNRESOLVED);
    scene_end(&s);
}

TEST(a_hosts_word_gets_no_key_of_another)
{
    struct scene s;
    struct choice c;
    scene_start(&s, ollama, "provider: anthropic\napiKey: canary\n" HOME);
    CHECK(choose_in(&s, "sees", NULL, &c) == CHOOSE_OK);
    CHECK(c.provider && !strcmp(c.provider->name, "home") && !c.api_key);
    CHECK(choose_in(&s, "anthropic/sees", NULL, &c) == CHOOSE_CANNOT);
    scene_end(&s);
    CHECK(!strstr(s.server.seen, "canary"));
}

TEST(the_sessions_main_model_is_asked_for_too)
{
    struct scene s;
    struct choice c;
    scene_start(&s, ollama, HOME);
    CHECK(choose_in(&s, NULL, "home/sees", &c) == CHOOSE_OK && c.from == FROM_MAIN);
    CHECK(choose_in(&s, NULL, "home/blind", &c) == CHOOSE_CANNOT && c.from == FROM_MAIN);
    scene_end(&s);
}

TEST(what_the_users_file_says_is_not_asked_about)
{
    struct scene s;
    struct choice c;
    scene_start(&s, ollama, "providers: {home: {baseUrl: \"%s\", auth: none, models: {sees: {vision: false}, own: {vision: true}}}}");
    CHECK(choose_in(&s, "home/sees", NULL, &c) == CHOOSE_CANNOT && c.model);
    CHECK(choose_in(&s, NULL, NULL, &c) == CHOOSE_OK && !strcmp(c.id, "own"));
    CHECK(s.server.requests == 0);
    scene_end(&s);
}

TEST(blocked_images_ask_nobody)
{
    struct scene s;
    struct choice c;
    scene_start(&s, ollama, "images.blockImages: true\n" HOME);
    CHECK(choose_in(&s, "home/sees", NULL, &c) == CHOOSE_CANNOT);
    CHECK(s.server.requests == 0);
    scene_end(&s);
}

TEST(a_host_that_fails_is_left_alone_for_a_while)
{
    struct scene s;
    struct choice c;
    scene_start(&s, broken, HOME);
    CHECK(choose_in(&s, "home/blind", NULL, &c) == CHOOSE_CANNOT && !c.model);
    int requests = s.server.requests;
    CHECK(choose_in(&s, "home/blind", NULL, &c) == CHOOSE_CANNOT);
    CHECK_MSG(s.server.requests == requests, "%d then %d", requests, s.server.requests);
    scene_end(&s);
}

/* The same host later: what it said then counts, where it did not help before. */
TEST(what_did_not_help_is_asked_again)
{
    static const struct page starting[] = {{"GET /v1/models", "503", "{}", NULL}, {0}};
    static const struct page none[] = {{"GET /v1/models", "200", LIST(""), NULL}, {0}};
    static const struct page unsaid[] = {{"GET /v1/models", "200", LIST("{\"id\":\"sees\"}"), NULL}, {0}};
    static const struct page other[] = {{"GET /v1/models", "404", "", NULL}, SHOW("sees", "\"completion\""), {0}};
    static const struct page *const before[] = {starting, none, unsaid, other};
    for (size_t i = 0; i < COUNT(before); i++)
        for (int named = 0; named < 2; named++) {
            struct scene s;
            struct choice c;
            scene_start(&s, before[i], "models.ocr: false\n" HOME);
            CHECK_MSG(choose_in(&s, named ? "home/sees" : NULL, NULL, &c) != CHOOSE_OK, "row %zu", i);
            s.server.pages = ollama;
            CHECK_MSG(choose_in(&s, named ? "home/sees" : NULL, NULL, &c) != CHOOSE_OK, "row %zu", i); /* not at once */
            discovery_set_again(s.f->discovery, 0);
            CHECK_MSG(choose_in(&s, named ? "home/sees" : NULL, NULL, &c) == CHOOSE_OK, "row %zu", i);
            int requests = s.server.requests;
            CHECK(choose_in(&s, named ? "home/sees" : NULL, NULL, &c) == CHOOSE_OK); /* and what helps stays */
            CHECK(s.server.requests == requests);
            scene_end(&s);
        }
}

TEST(made_up_names_take_no_room_from_a_real_one)
{
    static const struct page *const kinds[] = {ollama, llama};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        struct scene s;
        struct choice c, first = {0};
        scene_start(&s, kinds[k], HOME);
        for (int i = 0; i < 70; i++) {
            char name[32];
            (void)snprintf(name, sizeof name, "home/guess%d", i);
            CHECK(choose_in(&s, name, NULL, &c) == (k ? CHOOSE_OK : CHOOSE_CANNOT));
            first = i ? first : c;
        }
        CHECK(choose_in(&s, "home/sees", NULL, &c) == CHOOSE_OK && !strcmp(c.id, "sees"));
        CHECK(!k || (first.model && first.model->can == c.model->can)); /* an early choice lives on */
        int requests = s.server.requests;
        CHECK(choose_in(&s, "home/sees", NULL, &c) == CHOOSE_OK && s.server.requests == requests);
        (void)choose_in(&s, "home/guess0", NULL, &c);
        CHECK(s.server.requests > requests); /* the oldest are forgotten */
        scene_end(&s);
    }
}

TEST(a_host_that_fails_is_not_asked_for_each_name)
{
    struct scene s;
    struct choice c;
    scene_start(&s, broken, HOME);
    for (int i = 0; i < 5; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "home/guess%d", i);
        CHECK(choose_in(&s, name, NULL, &c) == CHOOSE_CANNOT);
    }
    CHECK_MSG(s.server.requests == 1, "%d requests", s.server.requests);
    scene_end(&s);
}

/* What vision_analyze and video_analyze say of it. */
TEST(why_a_host_said_nothing_is_told)
{
    static const struct page shut[] = {{"GET /v1/models", "401", "{}", NULL}, {0}};
    static const struct {
        const struct page *pages;
        const char *words;
    } rows[] = {{shut, "; 'home' did not say what it offers: 'home' refused the key, or wants one (status 401)"},
                {broken, "; 'home' did not say what it offers: 'home' gives no list of models now (status 500)"},
                {ollama, NULL}};
    static const char call[] = "{\"file_path\":\"x.png\",\"prompt\":\"what\",\"model\":\"home/gone\"}";
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene s;
        struct fovea_fault fault = {0};
        fovea_result *a = NULL, *b = NULL;
        scene_start(&s, rows[i].pages, HOME);
        CHECK_MSG(fovea_call(s.f, "vision_analyze", call, strlen(call), &a, &fault) == 0, "%s", fault.text);
        CHECK_MSG(fovea_call(s.f, "video_analyze", call, strlen(call), &b, &fault) == 0, "%s", fault.text);
        const char *said = a ? fovea_result_text(a) : "", *also = b ? fovea_result_text(b) : "";
        CHECK_MSG(rows[i].words ? strstr(said, rows[i].words) != NULL : !strstr(said, "did not say"), "%s", said);
        CHECK_MSG(rows[i].words ? strstr(also, rows[i].words) != NULL : !strstr(also, "did not say"), "%s", also);
        CHECK_MSG(strstr(said, "home/gone is not known to see") && strstr(also, "home/gone is not known to see"), "%s", said);
        fovea_result_free(a);
        fovea_result_free(b);
        scene_end(&s);
    }
}

TEST(a_host_that_is_silent_costs_bounded_time)
{
    struct scene s;
    struct choice c;
    scene_start(&s, silent, HOME);
    int64_t from = clock_ms();
    CHECK(choose_in(&s, "home/sees", NULL, &c) == CHOOSE_CANNOT);
    int64_t ms = clock_ms() - from;
    CHECK_MSG(ms < LIMIT_DISCOVER_MS + 500, "%lld ms", (long long)ms);
    scene_end(&s);
}

static void *strike(void *arg)
{
    (void)poll(NULL, 0, 200);
    fovea_cancel_now(arg);
    return NULL;
}

TEST(a_cancel_ends_the_question_and_leaves_no_answer)
{
    struct scene s;
    struct choice c = {0};
    fovea_cancel *cancel = NULL;
    pthread_t thread;
    scene_start(&s, silent, HOME);
    auto_call call = {0};
    CHECK(fovea_cancel_new(&cancel, NULL) == 0 && call_init(&call, s.f, NULL, cancel, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, strike, cancel) == 0);
    int64_t from = clock_ms();
    CHECK(choosing_for(&call, "home/sees", MODEL_VISION, &c) == CHOOSE_CANNOT);
    CHECK_MSG(clock_ms() - from < 400, "%lld ms", (long long)(clock_ms() - from));
    (void)pthread_join(thread, NULL);
    fovea_cancel_reset(cancel);
    from = clock_ms();
    CHECK(choosing_for(&call, "home/sees", MODEL_VISION, &c) == CHOOSE_CANNOT);
    CHECK(clock_ms() - from >= LIMIT_DISCOVER_MS / 2); /* it asked again, and waited */
    fovea_cancel_free(cancel);
    scene_end(&s);
}

static void *choose_one(void *arg)
{
    struct choice c = {0};
    auto_call call = {0};
    if (call_init(&call, arg, NULL, NULL, NULL) < 0 || choosing_for(&call, "home/sees", MODEL_VISION, &c) != CHOOSE_OK)
        return NULL;
    return (void *)c.model;
}

TEST(many_threads_ask_a_host_once)
{
    struct scene s;
    pthread_t threads[32];
    scene_start(&s, ollama, HOME);
    for (size_t i = 0; i < COUNT(threads); i++)
        CHECK(pthread_create(&threads[i], NULL, choose_one, s.f) == 0);
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *row = NULL;
        (void)pthread_join(threads[i], &row);
        CHECK(row);
    }
    CHECK_MSG(s.server.requests <= 4, "%d requests", s.server.requests); /* the list, two tries of other kinds, the model */
    scene_end(&s);
}

/* Answers come and go under those who read them. */
static void *choose_many(void *arg)
{
    for (int i = 0; i < 30; i++) {
        struct choice c = {0};
        auto_call call = {0};
        char name[32];
        (void)snprintf(name, sizeof name, "home/%s%d", i % 3 ? "guess" : "other", i);
        CHECK(call_init(&call, arg, NULL, NULL, NULL) == 0 && choosing_for(&call, name, MODEL_VISION, &c) == CHOOSE_OK);
        CHECK(c.model && c.model->can == (MODEL_VISION | MODEL_TOOL_UNSAID));
    }
    return NULL;
}

TEST(answers_that_are_dropped_live_until_they_are_let_go)
{
    struct scene s;
    pthread_t threads[6];
    scene_start(&s, llama, HOME);
    discovery_set_again(s.f->discovery, 0);
    for (size_t i = 0; i < COUNT(threads); i++)
        CHECK(pthread_create(&threads[i], NULL, choose_many, s.f) == 0);
    for (size_t i = 0; i < COUNT(threads); i++)
        (void)pthread_join(threads[i], NULL);
    scene_end(&s);
}

TEST(near_is_this_machine_and_its_network)
{
    static const struct {
        const char *url;
        bool near;
    } rows[] = {
        {"http://127.0.0.1:8080/v1", true},   {"http://localhost:1234/v1", true},   {"http://[::1]:8080/v1", true},
        {"https://192.168.1.7/v1", true},     {"https://10.0.0.1:8443", true},      {"https://[fd00::1]/v1", true},
        {"https://nas/v1", true},             {"https://GPU.Lan/v1", true},         {"https://box.local.:8080/v1", true},
        {"https://gpu.internal/v1", true},    {"https://api.example.com/v1", false}, {"https://8.8.8.8/v1", false},
        {"https://[2606:4700::1]/v1", false}, {"https://local.example.com", false}, {"https://api.example.com./v1", false},
        {"https:///v1", false},               {"https://./v1", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_MSG(discovery_is_near(rows[i].url) == rows[i].near, "%s", rows[i].url);
}

/* ---------------------------------------------------------------- fovea_host_models */

static void count(const struct fovea_model *m, void *arg)
{
    char *to = arg;
    size_t n = strlen(to);
    (void)snprintf(to + n, 200 - n, "%s/%s%s %lld;", m->provider, m->id, m->vision ? " sees" : "", (long long)m->context);
}

TEST(a_host_says_what_it_offers)
{
    struct scene s;
    char said[200] = "";
    struct fovea_fault fault = {0};
    scene_start(&s, ollama, HOME);
    CHECK_MSG(fovea_host_models(s.f, "home", count, said, &fault) == 0, "%s", fault.text);
    CHECK_STR(said, "home/blind -1;home/sees sees 4096;");
    CHECK(fovea_host_models(s.f, "nobody", count, said, &fault) == -EINVAL);
    CHECK(fovea_host_models(s.f, "anthropic", count, said, &fault) == -ENOTSUP);
    CHECK(fovea_host_models(s.f, "local", count, said, &fault) == -ENOTSUP);
    CHECK(fovea_host_models(s.f, "openrouter", count, said, &fault) == -EACCES);
    scene_end(&s);
    scene_start(&s, broken, HOME);
    CHECK(fovea_host_models(s.f, "home", count, said, &fault) == -EAGAIN);
    scene_end(&s);
    scene_start(&s, ollama, "images.blockImages: true\n" HOME);
    CHECK(fovea_host_models(s.f, "home", count, said, &fault) == -EPERM && s.server.requests == 0);
    CHECK_MSG(strstr(fault.text, "images.blockImages"), "%s", fault.text);
    scene_end(&s);
}

/* ---------------------------------------------------------------- what the whole of a config shows */

/* The fault of a context with that config.yaml, "" when there is none. */
static void fault_of(const char *yaml, struct fovea_fault *ret)
{
    char folder[] = "/tmp/fovea-choosing-XXXXXX", file[64];
    fovea *f = NULL;
    *ret = (struct fovea_fault){0};
    CHECK(mkdtemp(folder));
    (void)snprintf(file, sizeof file, "%s/config.yaml", folder);
    FILE *out = fopen(file, "we");
    CHECK(out && fputs(yaml, out) >= 0 && fclose(out) == 0);
    (void)fovea_new(&(struct fovea_options){.config_file = file}, &f, ret);
    fovea_free(f);
    (void)unlink(file);
    (void)rmdir(folder);
}

#define NO_PROVIDER(value, near) "\"" value "\" names no provider; did you mean \"" near "\", or is it missing from providers?"
#define KNOWN "anthropic, openai, google, openrouter, nous, ollama, llama.cpp, vllm, lm-studio, local"
#define KEYED "provider: anthropic\napiKeyEnv: K\n"

TEST(a_setting_that_names_no_provider_is_a_fault_with_its_line_and_the_nearest)
{
    static const struct {
        const char *yaml, *want;
    } rows[] = {
        {"provider: anthropc\n", "config.yaml:1: provider " NO_PROVIDER("anthropc", "anthropic")},
        {"model: x\nprovider: gemni\n", "config.yaml:2: provider " NO_PROVIDER("gemni", "gemini")},
        {"auxiliary:\n  vision:\n    provider: opnai\n", "config.yaml:3: auxiliary.vision.provider " NO_PROVIDER("opnai", "openai")},
        {"provider: hom\nproviders: {home: {baseUrl: \"http://127.0.0.1:1/v1\"}}\n",
         "config.yaml:1: provider " NO_PROVIDER("hom", "home")},
        {"modelRoles: {vision: anthropc/claude-sonnet-4-6}\n",
         "config.yaml:1: modelRoles.vision " NO_PROVIDER("anthropc/claude-sonnet-4-6", "anthropic/claude-sonnet-4-6")},
        {"model: opneai/gpt-5-mini:high\n", "config.yaml:1: model " NO_PROVIDER("opneai/gpt-5-mini:high", "openai/gpt-5-mini:high")},
        {KEYED "modelRoles.default: antropic/other\n",
         "config.yaml:3: modelRoles.default " NO_PROVIDER("antropic/other", "anthropic/other")},
        {KEYED "model: foo/bar\n", "config.yaml:3: model \"foo/bar\" is no model of anthropic; write PROVIDER/ID for one of another's"},
        {KEYED "model: models/gemini-2.5-flash\n",
         "config.yaml:3: model \"models/gemini-2.5-flash\" is no model of anthropic; write PROVIDER/ID for one of another's"},
        {KEYED "modelRoles.vision: foo/bar\n",
         "config.yaml:3: modelRoles.vision \"foo/bar\" names no provider; add it to providers, or take one of these: " KNOWN},
        {"provider: somebody-else\nproviders: {home: {baseUrl: \"http://127.0.0.1:1/v1\"}}\n",
         "config.yaml:1: provider \"somebody-else\" names no provider; add it to providers, or take one of these: home, " KNOWN},
        {"provider: somebody-else\n",
         "config.yaml:1: provider \"somebody-else\" names no provider; add it to providers, or take one of these: " KNOWN},
        {"provider: somebody-else\nproviders: {some-company-gateway-1: {baseUrl: \"http://127.0.0.1:1/v1\"}, some-company-gateway-2: {baseUrl: "
         "\"http://127.0.0.1:1/v1\"}, some-company-gateway-3: {baseUrl: \"http://127.0.0.1:1/v1\"}, some-company-gateway-4: {baseUrl: "
         "\"http://127.0.0.1:1/v1\"}, some-company-gateway-5: {baseUrl: \"http://127.0.0.1:1/v1\"}}\n",
         "config.yaml:1: provider \"somebody-else\" names no provider; add it to providers, or take one of these: some-company-gateway-1, "
         "some-company-gateway-2, some-company-gateway-3, some-company-gateway-4, some-company-gateway-5, anthropic, openai and more"},
        {"provider: somebody-else-with-a-name-of-fifty-one-letters-or-so\nproviders: {one-of-forty-two-letters-xxxxxxxxxxxxxxxxxx: {baseUrl: "
         "\"http://127.0.0.1:1/v1\"}, two-of-forty-two-letters-xxxxxxxxxxxxxxxxxx: {baseUrl: \"http://127.0.0.1:1/v1\"}, "
         "three-of-forty-two-letters-xxxxxxxxxxxxxxxx: {baseUrl: \"http://127.0.0.1:1/v1\"}}\n",
         "config.yaml:1: provider \"somebody-else-with-a-name-of-fifty-one-letters-or-so\" names no provider; add it to providers, or take "
         "one of these: one-of-forty-two-letters-xxxxxxxxxxxxxxxxxx, two-of-forty-two-letters-xxxxxxxxxxxxxxxxxx and more"},
        {"\nproviders:\n  x:\n    wire: openai-chat\n",
         "config.yaml:3: providers.x has no baseUrl, such as \"http://127.0.0.1:8080/v1\""},
        {"providers.x.wire: openai-chat\n",
         "config.yaml:1: providers.x has no baseUrl, such as \"http://127.0.0.1:8080/v1\""},
        {"\nfs_reach: [\"/nonexistent\"]\n", "config.yaml:2: fs_reach \"/nonexistent\" is no folder that can be read"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fovea_fault fault;
        fault_of(rows[i].yaml, &fault);
        CHECK_MSG(fault.code == -EINVAL, "row %zu", i);
        CHECK_STR(fault.text, rows[i].want);
    }
}

TEST(a_model_that_some_host_may_have_is_no_mistake)
{
    static const char *const rows[] = {
        "provider: gemini\nmodel: models/gemini-2.5-flash\n", "provider: google\nmodel: tunedModels/x\n",
        "model: models/gemini-2.5-flash\n", "provider: gemini\n", "provider: google\nauxiliary.vision.provider: local\n", "provider: llama.cpp\nmodel: unsloth/x\n",
        "provider: home\nproviders: {home: {baseUrl: \"http://127.0.0.1:1/v1\"}}\n",
        "provider: home\nmodel: org/m\nproviders: {home: {baseUrl: \"http://127.0.0.1:1/v1\"}}\n",
        KEYED "modelRoles.vision: org/m\nproviders: {home: {baseUrl: \"http://127.0.0.1:1/v1\"}}\n",
        KEYED "modelRoles.vision: openai/gpt-9\n", KEYED "modelRoles.vision: qwen/qwen3-vl-30b-a3b-instruct\n",
        KEYED "baseUrl: \"https://proxy.example\"\nmodel: bedrock/claude\n", "modelRoles.vision: qwen/next\n",
        "provider: openrouter\nmodel: new-vendor/next:free\n", "provider: openrouter\nmodel: nova/lite\n",
        "modelRoles: {vision: pi/default, default: anthropic/claude-opus-4-7:low}\n", "model: just-a-name\n",
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fovea_fault fault;
        fault_of(rows[i], &fault);
        CHECK_MSG(fault.code == 0, "row %zu: %s", i, fault.text);
    }
}

TEST(a_root_that_is_no_folder_is_named_as_a_root)
{
    static const char *const roots[] = {"/nonexistent", NULL};
    struct fovea_fault fault = {0};
    fovea *f = NULL;
    CHECK(fovea_new(&(struct fovea_options){.config_file = "", .reach = roots}, &f, &fault) == -EINVAL);
    CHECK_STR(fault.text, "--root \"/nonexistent\" is no folder that can be read");
}

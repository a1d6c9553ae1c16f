/* SPDX-License-Identifier: Apache-2.0 */
/* Models: the rows that ship, names taken apart, the chain rung by rung with every refusal, and money to the nano. */
#include <errno.h>

#include "base/cleanup.h"
#include "fit/tokens.h"
#include "model/choose.h"
#include "model/table.h"
#include "test.h"

static void models_free_p(struct models **m)
{
    models_free(*m);
}
#define auto_models cleanup(models_free_p) struct models

TEST(rows_that_ship_are_unique_and_name_their_sources)
{
    CHECK(model_table_count > 400);
    for (size_t i = 0; i < model_table_count; i++) {
        const struct model *a = &model_table[i];
        CHECK_MSG(*a->id && *a->price_source && *a->limits_source && *a->modality_source, "%s", a->id);
        CHECK_MSG((a->price.input < 0) == (a->price.output < 0), "%s", a->id);
        CHECK_MSG(strlen(a->id) < LIMIT_MODEL_ID, "%s", a->id);
        for (size_t j = i + 1; j < model_table_count; j++)
            CHECK_MSG(strcmp(a->id, model_table[j].id) != 0 || strcmp(a->provider, model_table[j].provider) != 0, "%s", a->id);
    }
}

TEST(known_faults_of_the_figures_are_mended)
{
    auto_models *m = models_new();
    const struct model *kimi = models_find(m, "openrouter", "moonshotai/kimi-k3");
    const struct model *batch = models_find(m, "openrouter", "moonshotai/kimi-k3:batch");
    const struct model *cliff = models_find(m, "openai", "gpt-5.4"), *routed = models_find(m, "openrouter", "openrouter/auto");
    CHECK(kimi && kimi->price.input < 0 && kimi->price.output < 0);
    CHECK(batch && batch->price.input == 2280000);
    CHECK(cliff && cliff->context == 1050000 && cliff->tiers[0].above == 272000);
    CHECK(routed && routed->price.input < 0);
    CHECK(models_find(m, "openai", "gpt-5") && models_find(m, "openai", "gpt-5")->can & MODEL_PDF);
}

TEST(capabilities_are_by_exact_id_and_unknown_is_no)
{
    static const struct {
        const char *provider, *id, *what;
        bool want;
    } rows[] = {
        {"anthropic", "claude-opus-4-7", "vision", true},   {"anthropic", "claude-opus-4-7", "pdf", true},
        {"anthropic", "claude-opus-4-7", "video", false},   {"anthropic", "claude-opus-4-7", "tool_image", true},
        {"anthropic", "claude-opus-4-7x", "vision", false}, {"anthropic", "claude-opus-4", "vision", false},
        {"anthropic", "Claude-Opus-4-7", "vision", false},  {"openai", "gpt-5", "tool_image", true},
        {"google", "gemini-2.5-pro", "video", true},        {"gemini", "gemini-2.5-pro", "video", true},
        {"google", "gemini-2.5-pro", "tool_image", false},  {"google", "gemini-3.5-flash", "tool_image", true},
        {"openrouter", "anthropic/claude-opus-4.7", "vision", true},
        {"openrouter", "anthropic/claude-opus-4.7", "tool_image", true}, /* it was tried */
        {"openrouter", "openai/gpt-5", "tool_image", false},
        {"openrouter", "nousresearch/hermes-4-70b", "vision", false},
        {"openrouter", "qwen/qwen3-vl-235b-a22b-instruct", "pdf", false},
        {"local", "ocr", "vision", true},                   {"local", "ocr", "pdf", false},
        {"nowhere", "x", "vision", false},                  {"anthropic", "claude-opus-4-7", "smell", false},
    };
    auto_models *m = models_new();
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_MSG(models_can(m, models_find(m, rows[i].provider, rows[i].id), model_capability(rows[i].what)) == rows[i].want,
                  "%s/%s %s", rows[i].provider, rows[i].id, rows[i].what);
    CHECK(!models_can(NULL, NULL, MODEL_VISION) && !models_can(m, NULL, MODEL_VISION));
}

TEST(chat_completions_of_openai_carry_no_picture_in_a_tool_result)
{
    auto_models *m = models_new();
    const char *must;
    CHECK(models_set_provider(m, "openai", "wire", "openai-chat", &must) == 0);
    CHECK(!models_can(m, models_find(m, "openai", "gpt-5"), MODEL_TOOL_IMAGE));
    CHECK(models_can(m, models_find(m, "openai", "gpt-5"), MODEL_VISION));
}

TEST(names_of_models_are_taken_apart)
{
    static const struct {
        const char *words, *provider, *id, *effort;
    } rows[] = {
        {"claude-opus-4-7", "", "claude-opus-4-7", NULL},
        {"anthropic/claude-opus-4-7", "anthropic", "claude-opus-4-7", NULL},
        {"anthropic/claude-opus-4-7:high", "anthropic", "claude-opus-4-7", "high"},
        {"claude-opus-4-7:low", "", "claude-opus-4-7", "low"},
        {"claude-opus-4-7:medium", "", "claude-opus-4-7", "medium"},
        {"claude-opus-4-7:max", "", "claude-opus-4-7:max", NULL},
        {"claude-opus-4-7:HIGH", "", "claude-opus-4-7:HIGH", NULL},
        {"gemini/gemini-2.5-pro", "google", "gemini-2.5-pro", NULL},
        {"google/gemini-2.5-pro", "google", "gemini-2.5-pro", NULL},
        {"openrouter/anthropic/claude-opus-4.7", "openrouter", "anthropic/claude-opus-4.7", NULL},
        {"openrouter/openai/gpt-5.4:batch", "openrouter", "openai/gpt-5.4:batch", NULL},
        {"openrouter/openai/gpt-5.4:batch:low", "openrouter", "openai/gpt-5.4:batch", "low"},
        {"openrouter/google/gemma-4-31b-it:free", "openrouter", "google/gemma-4-31b-it:free", NULL},
        {"qwen/qwen3-vl", "", "qwen/qwen3-vl", NULL},
        {"ollama/llava:13b", "ollama", "llava:13b", NULL},
        {"ollama/llava:13b:high:low", "ollama", "llava:13b:high", "low"},
        {"llama.cpp/x", "llama.cpp", "x", NULL},
        {"Anthropic/x", "", "Anthropic/x", NULL},
        {"/x", "", "/x", NULL},
        {"local/ocr", "local", "ocr", NULL},
    };
    static const char *const bad[] = {"", ":high", "anthropic/", "anthropic/:low"};
    auto_models *m = models_new();
    struct model_name name;
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_MSG(model_name_parse(m, rows[i].words, &name) == 0, "%s", rows[i].words);
        CHECK_STR(name.provider, rows[i].provider);
        CHECK_STR(name.id, rows[i].id);
        CHECK_STR(name.effort ? name.effort : "-", rows[i].effort ? rows[i].effort : "-");
    }
    for (size_t i = 0; i < COUNT(bad); i++)
        CHECK_MSG(model_name_parse(m, bad[i], &name) == -EINVAL, "%s", bad[i]);
    char longest[LIMIT_MODEL_ID + 1];
    memset(longest, 'x', sizeof longest);
    longest[LIMIT_MODEL_ID] = 0;
    CHECK(model_name_parse(m, longest, &name) == -EINVAL);
    longest[LIMIT_MODEL_ID - 1] = 0;
    CHECK(model_name_parse(m, longest, &name) == 0);
}

/* ---------------------------------------------------------------- the chain */

/* NAME=VALUE words, NULL-terminated, in the place of the environment. */
static const char *env_of(const char *name, void *arg)
{
    for (const char *const *e = arg; e && *e; e++) {
        size_t len = strlen(name);
        if (!strncmp(*e, name, len) && (*e)[len] == '=')
            return *e + len + 1;
    }
    return NULL;
}

#define ENV(...) .env_arg = (void *)(const char *const[]){__VA_ARGS__, NULL}

struct chain_row {
    const char *name;
    struct choose_inputs in;
    void *env_arg;
    unsigned need; /* 0: vision */
    enum choose_verdict want;
    const char *model; /* P/ID */
    const char *effort;
    enum choose_from from;
    const char *key;
};
#define KEYED .usual_keys = true, .ocr = true
#define CLAUDE "anthropic/claude-opus-4-7"
#define SONNET "anthropic/claude-sonnet-4-6"

static const struct chain_row chain[] = {
    {"the call's model comes first", {KEYED, .call = CLAUDE ":high", .role_vision = SONNET, .role_default = SONNET},
     ENV("ANTHROPIC_API_KEY=k"), 0, CHOOSE_OK, CLAUDE, "high", FROM_CALL, "k"},
    {"then role vision", {KEYED, .role_vision = SONNET ":low", .vision.model = CLAUDE, .role_default = CLAUDE},
     ENV("ANTHROPIC_API_KEY=k"), 0, CHOOSE_OK, SONNET, "low", FROM_ROLE_VISION, "k"},
    {"else the auxiliary model", {KEYED, .vision.model = "claude-sonnet-4-6", .role_default = CLAUDE, .top.model = CLAUDE},
     ENV("ANTHROPIC_API_KEY=k"), 0, CHOOSE_OK, SONNET, NULL, FROM_AUXILIARY, "k"},
    {"then role default", {KEYED, .role_default = CLAUDE, .top.model = "gpt-5", .main_provider = "openai", .main_model = "gpt-5"},
     ENV("ANTHROPIC_API_KEY=k"), 0, CHOOSE_OK, CLAUDE, NULL, FROM_ROLE_DEFAULT, "k"},
    {"else the model at the top", {KEYED, .top = {.provider = "anthropic", .model = "claude-opus-4-7"}, .main_provider = "openai",
     .main_model = "gpt-5"}, ENV("ANTHROPIC_API_KEY=k"), 0, CHOOSE_OK, CLAUDE, NULL, FROM_MODEL, "k"},
    {"then the session's main", {KEYED, .main_provider = "gemini", .main_model = "gemini-2.5-pro"}, ENV("GEMINI_API_KEY=g"), 0,
     CHOOSE_OK, "google/gemini-2.5-pro", NULL, FROM_MAIN, "g"},
    {"Gemini's may be resources", {KEYED, .call = "gemini/models/gemini-2.5-pro"}, ENV("GEMINI_API_KEY=g"), MODEL_VIDEO,
     CHOOSE_OK, "google/gemini-2.5-pro", NULL, FROM_CALL, "g"},
    {"also without a provider", {KEYED, .top.model = "models/gemini-2.5-pro:low"}, ENV("GEMINI_API_KEY=g"), 0,
     CHOOSE_OK, "google/gemini-2.5-pro", "low", FROM_MODEL, "g"},
    {"and beside one", {KEYED, .top = {.provider = "google", .model = "models/gemini-2.5-pro"}}, ENV("GEMINI_API_KEY=g"), 0,
     CHOOSE_OK, "google/gemini-2.5-pro", NULL, FROM_MODEL, "g"},
    {"others' may not", {KEYED, .call = "openai/models/gpt-5"}, ENV("OPENAI_API_KEY=o"), 0, CHOOSE_CANNOT,
     "openai/models/gpt-5", NULL, FROM_CALL, "o"},
    {"then the first available", {KEYED}, ENV("OPENAI_API_KEY=o", "GEMINI_API_KEY=g"), 0, CHOOSE_OK, "openai/gpt-5-mini", NULL,
     FROM_FIRST, "o"},
    {"which with no key is OCR", {KEYED}, NULL, 0, CHOOSE_OK, "local/ocr", NULL, FROM_FIRST, NULL},
    {"an empty variable is no key", {KEYED}, ENV("OPENAI_API_KEY="), 0, CHOOSE_OK, "local/ocr", NULL, FROM_FIRST, NULL},
    {"role names are taken", {KEYED, .call = "pi/vision:high", .role_vision = SONNET ":low"}, ENV("ANTHROPIC_API_KEY=k"), 0,
     CHOOSE_OK, SONNET, "high", FROM_ROLE_VISION, "k"},
    {"pi/default passes over role vision", {KEYED, .call = "pi/default", .role_vision = SONNET, .role_default = CLAUDE},
     ENV("ANTHROPIC_API_KEY=k"), 0, CHOOSE_OK, CLAUDE, NULL, FROM_ROLE_DEFAULT, "k"},
    {"a role may stand for the other", {KEYED, .role_vision = "pi/default", .top.model = CLAUDE}, ENV("ANTHROPIC_API_KEY=k"), 0,
     CHOOSE_OK, CLAUDE, NULL, FROM_MODEL, "k"},
    {"but not for itself", {KEYED, .role_default = "pi/vision"}, NULL, 0, CHOOSE_UNRESOLVED, NULL, NULL, FROM_CALL, NULL},
    {"a role that is not set gives way", {KEYED, .call = "pi/vision"}, NULL, 0, CHOOSE_OK, "local/ocr", NULL, FROM_FIRST, NULL},
    {"no registry", {.models = NULL}, NULL, 0, CHOOSE_NO_REGISTRY, NULL, NULL, FROM_CALL, NULL},
    {"no key and no OCR", {.usual_keys = true, .call = CLAUDE}, NULL, 0, CHOOSE_NO_MODELS, NULL, NULL, FROM_CALL, NULL},
    {"words that name nothing", {KEYED, .call = "who/knows"}, NULL, 0, CHOOSE_UNRESOLVED, NULL, NULL, FROM_CALL, NULL},
    {"no words at all", {KEYED, .call = ""}, NULL, 0, CHOOSE_UNRESOLVED, NULL, NULL, FROM_CALL, NULL},
    {"a rung that is set is not passed over", {KEYED, .role_vision = "who/knows", .role_default = CLAUDE},
     ENV("ANTHROPIC_API_KEY=k"), 0, CHOOSE_UNRESOLVED, NULL, NULL, FROM_CALL, NULL},
    {"a provider that does not exist", {KEYED, .top = {.provider = "nowhere", .model = "x"}}, NULL, 0, CHOOSE_UNRESOLVED, NULL, NULL, FROM_CALL, NULL},
    {"OCR that is off", {.usual_keys = true, .call = "local/ocr"}, ENV("OPENAI_API_KEY=o"), 0, CHOOSE_UNRESOLVED, NULL, NULL, FROM_CALL, NULL},
    {"a model that cannot see", {KEYED, .call = "openrouter/nousresearch/hermes-4-70b"}, ENV("OPENROUTER_API_KEY=r"), 0,
     CHOOSE_CANNOT, "openrouter/nousresearch/hermes-4-70b", NULL, FROM_CALL, "r"},
    {"a model in no table", {KEYED, .call = "anthropic/claude-9"}, ENV("ANTHROPIC_API_KEY=k"), 0, CHOOSE_CANNOT,
     "anthropic/claude-9", NULL, FROM_CALL, "k"},
    {"sight is judged before the key", {KEYED, .call = "anthropic/claude-9"}, NULL, 0, CHOOSE_CANNOT, "anthropic/claude-9", NULL,
     FROM_CALL, NULL},
    {"no video", {KEYED, .call = CLAUDE}, ENV("ANTHROPIC_API_KEY=k"), MODEL_VIDEO, CHOOSE_CANNOT, CLAUDE, NULL, FROM_CALL, "k"},
    {"no key", {KEYED, .call = CLAUDE}, ENV("OPENAI_API_KEY=o"), 0, CHOOSE_NO_KEY, CLAUDE, NULL, FROM_CALL, NULL},
    {"the usual variables do not hold beside a key", {.ocr = true, .call = CLAUDE, .top = {.provider = "openai", .api_key = "o"}},
     ENV("ANTHROPIC_API_KEY=k"), 0, CHOOSE_NO_KEY, CLAUDE, NULL, FROM_CALL, NULL},
    {"the key at the top is its provider's", {.ocr = true, .top = {.provider = "anthropic", .model = "claude-opus-4-7", .api_key = "t"}},
     NULL, 0, CHOOSE_OK, CLAUDE, NULL, FROM_MODEL, "t"},
    {"by variable", {.ocr = true, .top = {.provider = "anthropic", .model = "claude-opus-4-7", .api_key_env = "MINE"}}, ENV("MINE=m"),
     0, CHOOSE_OK, CLAUDE, NULL, FROM_MODEL, "m"},
    {"and no other's", {.ocr = true, .call = "openai/gpt-5", .top = {.provider = "anthropic", .api_key = "t"}}, NULL, 0, CHOOSE_NO_KEY,
     "openai/gpt-5", NULL, FROM_CALL, NULL},
    {"the auxiliary's own key", {.ocr = true, .vision = {.provider = "openai", .model = "gpt-5", .api_key = "a"},
     .top = {.provider = "anthropic", .api_key = "t"}}, NULL, 0, CHOOSE_OK, "openai/gpt-5", NULL, FROM_AUXILIARY, "a"},
    {"defaults to the top", {.ocr = true, .vision.model = "claude-sonnet-4-6", .top = {.provider = "anthropic", .api_key = "t"}},
     NULL, 0, CHOOSE_OK, SONNET, NULL, FROM_AUXILIARY, "t"},
    {"but not to another provider's", {.ocr = true, .vision = {.provider = "openai", .model = "gpt-5"},
     .top = {.provider = "anthropic", .api_key = "t"}}, NULL, 0, CHOOSE_NO_KEY, "openai/gpt-5", NULL, FROM_AUXILIARY, NULL},
    {"the auxiliary's key is good for a call to its provider", {.ocr = true, .call = "openai/gpt-5",
     .vision = {.provider = "openai", .api_key = "a"}, .top = {.provider = "anthropic", .api_key = "t"}}, NULL, 0, CHOOSE_OK,
     "openai/gpt-5", NULL, FROM_CALL, "a"},
    {"and for the first available", {.vision = {.provider = "openai", .api_key = "a"}}, NULL, 0, CHOOSE_OK, "openai/gpt-5-mini", NULL,
     FROM_FIRST, "a"},
    {"the model at the top keeps the top's key", {.ocr = true, .vision.api_key = "a",
     .top = {.provider = "anthropic", .model = "claude-opus-4-7", .api_key = "t"}}, NULL, 0, CHOOSE_OK, CLAUDE, NULL, FROM_MODEL, "t"},
    {"a usual key goes to no strange address", {KEYED, .top = {.provider = "anthropic", .model = "claude-opus-4-7",
     .base_url = "https://example.org"}}, ENV("ANTHROPIC_API_KEY=k"), 0, CHOOSE_NO_KEY, CLAUDE, NULL, FROM_MODEL, NULL},
    {"a provider beside the model owns its whole id", {KEYED, .top = {.provider = "openrouter", .model = "anthropic/claude-opus-4.7"}},
     ENV("OPENROUTER_API_KEY=r"), 0, CHOOSE_OK, "openrouter/anthropic/claude-opus-4.7", NULL, FROM_MODEL, "r"},
    {"a bare id goes to the host that can be asked", {KEYED, .call = "gpt-5"}, ENV("OPENAI_API_KEY=o"), 0, CHOOSE_OK, "openai/gpt-5",
     NULL, FROM_CALL, "o"},
};

TEST(every_rung_and_refusal_of_the_chain)
{
    auto_models *m = models_new();
    for (size_t i = 0; i < COUNT(chain); i++) {
        const struct chain_row *row = &chain[i];
        struct choose_inputs in = row->in;
        struct choice c = {0};
        char got[2 * LIMIT_MODEL_ID];
        in.models = row->want == CHOOSE_NO_REGISTRY ? NULL : m;
        in.env = env_of;
        in.env_arg = row->env_arg;
        enum choose_verdict verdict = choose(&in, row->need ? row->need : MODEL_VISION, &c);
        CHECK_MSG(verdict == row->want, "%s: verdict %d, want %d", row->name, verdict, row->want);
        if (!row->model || !c.provider)
            continue;
        (void)snprintf(got, sizeof got, "%s/%s", c.provider->name, c.id);
        CHECK_MSG(!strcmp(got, row->model), "%s: got %s", row->name, got);
        CHECK_MSG(c.from == row->from, "%s: from %s", row->name, choose_from_names[c.from]);
        CHECK_MSG(!strcmp(c.effort ? c.effort : "-", row->effort ? row->effort : "-"), "%s: effort", row->name);
        CHECK_MSG(!strcmp(c.api_key ? c.api_key : "-", row->key ? row->key : "-"), "%s: key", row->name);
    }
}

TEST(a_host_of_the_user_is_asked_without_a_key)
{
    auto_models *m = models_new();
    const char *must;
    struct choice c;
    struct choose_inputs in = {.models = m, .ocr = true, .call = "home/llava:13b"};
    CHECK(models_set_provider(m, "home", "wire", "openai-chat", &must) == 0);
    CHECK(models_set_provider(m, "home", "baseUrl", "http://127.0.0.1:8080/v1", &must) == 0);
    CHECK(models_set_provider(m, "home", "auth", "none", &must) == 0);
    CHECK(models_set_provider(m, "home", "webp", "false", &must) == 0);
    CHECK(models_set_model(m, "home", "llava:13b", "vision", "true", "config.yaml:3", &must) == 0);
    CHECK(choose(&in, MODEL_VISION, &c) == CHOOSE_OK && !c.api_key && c.provider->no_webp);
    CHECK_STR(c.base_url, "http://127.0.0.1:8080/v1");
    CHECK_STR(c.model->modality_source, "config.yaml:3");
    in.call = NULL;
    CHECK(choose(&in, MODEL_VISION, &c) == CHOOSE_OK && c.from == FROM_FIRST && !strcmp(c.id, "llava:13b"));
    in.call = "home/other";
    CHECK(choose(&in, MODEL_VISION, &c) == CHOOSE_CANNOT && !c.model);
}

TEST(what_a_host_said_counts_after_the_tables)
{
    static const struct model found[] = {
        {.provider = "home", .id = "blind"}, {.provider = "home", .id = "seer", .can = MODEL_VISION},
        {.provider = "home", .id = "org/seer", .can = MODEL_VISION | MODEL_PDF},
        {.provider = "home", .id = "mine", .can = MODEL_VISION},
        {.provider = "anthropic", .id = "claude-opus-4-7"}, /* a lie of nobody's concern */
    };
    static const struct {
        const char *call, *provider;
        unsigned need;
        enum choose_verdict verdict;
        const char *want; /* PROVIDER/ID */
    } rows[] = {
        {"home/seer", NULL, MODEL_VISION, CHOOSE_OK, "home/seer"},
        {"seer", NULL, MODEL_VISION, CHOOSE_OK, "home/seer"},
        {"seer:low", NULL, MODEL_VISION, CHOOSE_OK, "home/seer"},
        {"org/seer", NULL, MODEL_PDF, CHOOSE_OK, "home/org/seer"},
        {"home/seer", NULL, MODEL_PDF, CHOOSE_CANNOT, "home/seer"},
        {"home/blind", NULL, MODEL_VISION, CHOOSE_CANNOT, "home/blind"},
        {"home/mine", NULL, MODEL_VISION, CHOOSE_CANNOT, "home/mine"}, /* the user said otherwise */
        {"home/other", NULL, MODEL_VISION, CHOOSE_CANNOT, "home/other"},
        {"anthropic/claude-opus-4-7", NULL, MODEL_VISION, CHOOSE_NO_KEY, "anthropic/claude-opus-4-7"},
        {NULL, NULL, MODEL_VISION, CHOOSE_OK, "home/seer"}, /* before OCR */
        {NULL, "home", MODEL_VISION, CHOOSE_OK, "home/seer"},
    };
    auto_models *m = models_new();
    const char *must;
    CHECK(m && !models_set_provider(m, "home", "baseUrl", "http://127.0.0.1:8080/v1", &must) &&
          !models_set_provider(m, "home", "auth", "none", &must) && !models_set_model(m, "home", "mine", "", "", "test", &must));
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct choice c = {0};
        char got[2 * LIMIT_MODEL_ID] = "";
        struct choose_inputs in = {.models = m, .call = rows[i].call, .top.provider = rows[i].provider, .ocr = true,
                                   .found = found, .n_found = COUNT(found)};
        CHECK_MSG(choose(&in, rows[i].need, &c) == rows[i].verdict, "row %zu", i);
        if (c.provider)
            (void)snprintf(got, sizeof got, "%s/%s", c.provider->name, c.id);
        CHECK_MSG(!strcmp(got, rows[i].want), "row %zu: %s", i, got);
    }
}

TEST(webp_goes_to_the_same_hosts_whoever_plans_the_fit)
{
    char name[64];
    for (size_t i = 0; i < provider_table_count; i++) {
        const struct provider *p = &provider_table[i];
        (void)snprintf(name, sizeof name, "%s/model", p->name);
        CHECK_MSG(tokens_host_takes_webp(name) == !p->no_webp, "%s", p->name);
    }
}

TEST(a_host_of_the_user_says_how_it_wants_its_key)
{
    static const struct {
        const char *word, *auth;
        bool none;
    } rows[] = {{"none", NULL, true}, {"key", NULL, false}, {"bearer", "bearer", false},
                {"x-api-key", "x-api-key", false}, {"x-goog-api-key", "x-goog-api-key", false}};
    auto_models *m = models_new();
    const char *must = NULL;
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK(models_set_provider(m, "home", "auth", rows[i].word, &must) == 0);
        const struct provider *p = models_provider(m, "home");
        CHECK_MSG(p->auth_none == rows[i].none && !strcmp(p->auth ? p->auth : "", rows[i].auth ? rows[i].auth : ""), "%s",
                  rows[i].word);
    }
    CHECK(models_set_provider(m, "home", "auth", "basic", &must) == -EINVAL);
    CHECK_STR(must, "none, key, bearer, x-api-key or x-goog-api-key");
}

TEST(what_users_say_lies_over_what_ships)
{
    auto_models *m = models_new();
    const char *must = NULL;
    size_t before = 0, after = 0;
    while (models_at(m, before))
        before++;
    CHECK(models_set_model(m, "anthropic", "claude-opus-4-7", "input", "1.5", "models.yaml:1", &must) == 0);
    CHECK(models_set_model(m, "anthropic", "claude-opus-4-7", "vision", "false", "models.yaml:2", &must) == 0);
    const struct model *row = models_find(m, "anthropic", "claude-opus-4-7");
    CHECK(row->price.input == 1500000 && row->price.output == 25000000 && !(row->can & MODEL_VISION) && row->can & MODEL_PDF);
    CHECK_STR(row->price_source, "models.yaml:1");
    CHECK(models_set_model(m, "gemini", "gemini-99", "vision", "true", "models.yaml:3", &must) == 0);
    CHECK(models_find(m, "google", "gemini-99") && models_find(m, "google", "gemini-99")->price.input < 0);
    while (models_at(m, after))
        after++;
    CHECK_MSG(after == before + 1, "%zu rows, then %zu", before, after);
    CHECK(models_set_model(m, "anthropic", "x", "visoin", "true", "s", &must) == -ENOENT);
    CHECK(models_set_model(m, "nowhere", "x", "vision", "true", "s", &must) == -ENOENT);
    CHECK(models_set_model(m, "anthropic", "x", "vision", "maybe", "s", &must) == -EINVAL && !strcmp(must, "true or false"));
    CHECK(models_set_model(m, "anthropic", "x", "input", "1.1234567", "s", &must) == -EINVAL);
    CHECK(models_set_model(m, "anthropic", "x", "context", "99999999999999999999", "s", &must) == -EINVAL);
    CHECK(models_set_provider(m, "a/b", "wire", "gemini", &must) == -EDOM);
    CHECK(models_set_provider(m, "local", "wire", "gemini", &must) == -EDOM);
    CHECK(models_set_provider(m, "home", "wire", "telnet", &must) == -EINVAL);
    CHECK(models_set_provider(m, "home", "baseUrl", "ftp://x", &must) == -EINVAL);
    CHECK(models_set_provider(m, "home", "colour", "red", &must) == -ENOENT);
}

/* ---------------------------------------------------------------- money */

TEST(money_is_exact_to_the_nano)
{
    static const struct {
        const char *provider, *id;
        struct usage u;
        int64_t reported, want;
    } rows[] = {
        /* 1287 x 5 + 48 x 25 = 7635 millionths */
        {"anthropic", "claude-opus-4-7", {.input = 1287, .output = 48}, -1, 7635000},
        /* 1000 x 3 + 2000 x 0.3 + 3000 x 3.75 + 100 x 15 = 16350 millionths */
        {"anthropic", "claude-sonnet-4-6", {.input = 1000, .cache_read = 2000, .cache_write = 3000, .output = 100}, -1, 16350000},
        /* at the threshold, then one above it: the whole request */
        {"google", "gemini-2.5-pro", {.input = 200000, .output = 1000}, -1, 260000000},
        {"google", "gemini-2.5-pro", {.input = 200001, .output = 1000}, -1, 515002500},
        /* what the cache held counts for the threshold: 100001 x 2.5 + 100000 x 0.25 + 10 x 15 */
        {"google", "gemini-2.5-pro", {.input = 100001, .cache_read = 100000, .output = 10}, -1, 275152500},
        {"openai", "gpt-5.4", {.input = 272000}, -1, 680000000},
        {"openai", "gpt-5.4", {.input = 272001}, -1, 1360005000},
        {"anthropic", "claude-haiku-5-5", {.input = 90000, .cache_write = 10001, .output = 1}, -1, 51253125},
        /* 3 x 0.005 and a tenth of a nano are told apart: 15 nano; 1 x 0.0375 is 37.5, to the nearest */
        {"openai", "gpt-5-nano", {.cache_read = 3}, -1, 15},
        {"openrouter", "openai/gpt-5.4-mini:batch", {.cache_read = 1}, -1, 38},
        /* what the provider says wins, 0 too */
        {"anthropic", "claude-opus-4-7", {.input = 1287, .output = 48}, 42, 42},
        {"anthropic", "claude-opus-4-7", {.input = 1287, .output = 48}, 0, 0},
        {"openrouter", "moonshotai/kimi-k3", {.input = 1}, 7, 7},
        {"nowhere", "x", {.input = 1}, 9, 9},
        /* not known, never 0 */
        {"openrouter", "moonshotai/kimi-k3", {.input = 1}, -1, MONEY_UNKNOWN},
        {"openrouter", "moonshotai/kimi-k3", {0}, -1, MONEY_UNKNOWN},
        {"nowhere", "x", {.input = 1}, -1, MONEY_UNKNOWN},
        {"openai", "gpt-5", {.cache_write = 1}, -1, MONEY_UNKNOWN},
        {"openai", "gpt-5", {.input = 1}, -1, 1250},
        {"anthropic", "claude-opus-4-7", {.input = -1}, -1, MONEY_UNKNOWN},
        {"anthropic", "claude-opus-4-7", {.input = INT64_MAX}, -1, MONEY_UNKNOWN},
        {"anthropic", "claude-opus-4-7", {.input = INT64_MAX, .cache_read = 1}, -1, MONEY_UNKNOWN},
        {"anthropic", "claude-opus-4-7", {0}, -1, 0},
        {"local", "ocr", {.input = 5, .output = 5}, -1, 0},
    };
    auto_models *m = models_new();
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t got = money_cost(models_find(m, rows[i].provider, rows[i].id), &rows[i].u, rows[i].reported);
        CHECK_MSG(got == rows[i].want, "row %zu %s: %lld, want %lld", i, rows[i].id, (long long)got, (long long)rows[i].want);
    }
}

TEST(amounts_in_words)
{
    static const struct {
        int64_t nano;
        const char *want;
    } rows[] = {{0, "0"}, {1, "0.000000001"}, {3400000, "0.0034"}, {1000000000, "1"}, {10000000000, "10"},
                {1250000000, "1.25"}, {-1, "null"}, {INT64_MAX, "9223372036.854775807"}, {100000000000000000, "100000000"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[MONEY_TEXT];
        money_text(rows[i].nano, text);
        CHECK_STR(text, rows[i].want);
    }
    CHECK(money_add(1, 2) == 3 && money_add(1, MONEY_UNKNOWN) < 0 && money_add(INT64_MAX, 1) < 0);
}

TEST(prices_are_read_strictly)
{
    static const struct {
        const char *text;
        int64_t want;
    } rows[] = {{"0", 0}, {"2.50", 2500000}, {"0.041667", 41667}, {"10", 10000000}, {"", -1}, {".5", -1}, {"5.", -1}, {"1e3", -1},
                {"-1", -1}, {"1.2.3", -1}, {"0.1234567", -1}, {" 1", -1}, {"9223372036855", -1}, {"99999999999999999999", -1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t got = -1;
        int r = money_parse_micro(rows[i].text, &got);
        CHECK_MSG(got == rows[i].want && r == (rows[i].want < 0 ? -EINVAL : 0), "'%s': %lld", rows[i].text, (long long)got);
    }
}

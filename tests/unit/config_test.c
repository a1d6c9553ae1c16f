/* SPDX-License-Identifier: Apache-2.0 */
/* config.yaml: what is taken, what is refused and in which words, and that no bytes at all do harm. */
#include "api/config_yaml.h"
#include "api/hosts_yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "api/personality.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "model/models.h"
#include "test.h"

/* The folder of this run: made once, removed at exit. */
static char folder[] = "/tmp/fovea-config-XXXXXX";
static char file_path[sizeof folder + sizeof "/config.yaml"];

static void remove_folder(void)
{
    (void)unlink(file_path);
    (void)rmdir(folder);
}

static bool write_file(const char *text, size_t len, mode_t mode)
{
    if (!file_path[0]) {
        if (!mkdtemp(folder))
            return false;
        (void)snprintf(file_path, sizeof file_path, "%s/config.yaml", folder);
        (void)atexit(remove_folder);
    }
    auto_close int fd = open(file_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return fd >= 0 && fchmod(fd, mode) == 0 && write(fd, text, len) == (ssize_t)len;
}

static int load_bytes(const char *text, size_t len, struct config *c, struct fovea_fault *fault)
{
    CHECK(write_file(text, len, 0600));
    *fault = (struct fovea_fault){0};
    return config_load(file_path, "/work dir", "/home/ann", c, fault);
}

static int load_text(const char *text, struct config *c, struct fovea_fault *fault)
{
    return load_bytes(text, strlen(text), c, fault);
}

static const char full[] =
    "provider: anthropic\n"
    "model: claude-opus-4-7\n"
    "apiKeyEnv: ANTHROPIC_API_KEY        # or apiKey\n"
    "auxiliary.vision.model: claude-sonnet-4-6\n"
    "auxiliary.vision.provider: anthropic\n"
    "modelRoles: {vision: anthropic/claude-sonnet-4-6, default: anthropic/claude-opus-4-7}\n"
    "providers: {home: {wire: openai-chat, baseUrl: \"http://127.0.0.1:8080/v1\", auth: none, webp: false,\n"
    "  models: {llava: {vision: true}}}, llama.cpp: {wire: openai-chat}}\n"
    "images: {blockImages: true, autoResize: false, maxDimension: 2000, maxBytes: 400000, jpegQuality: 80}\n"
    "images.minDimension: 0\n"
    "images.maxPatches: 0\n"
    "images.questionTimeoutMs: 0\n"
    "view: {maxBytes: 1000, maxVideoBytes: 2000}\n"
    "fs_reach: [\"${cwd}\", ~/pictures, \"${home}/a b\", /srv/shots]\n"
    "network: {view: true, allow: [example.org, '*.example.com'], deny: [], caFile: null}\n"
    "render: {svg: false, text: true, pdf: false, video: true}\n"
    "models: {ocr: false}\n"
    "vision.mode: native\n"
    "budget: {usdPerSession: 1.25, usdPerDay: 10}\n"
    "retention: {policy: \"turns:3\"}\n"
    "record: {store: \"postgresql://db/fovea\", maxAttachmentBytes: 5}\n";

static void check_full(const struct config *c)
{
    CHECK(c->block_images && !c->auto_resize && c->max_dimension == 2000 && c->max_bytes == 400000);
    CHECK(c->jpeg_quality == 80 && c->min_dimension == 0 && c->max_patches == 0 && c->question_timeout_ms == 0);
    CHECK(c->view_max_bytes == 1000 && c->view_max_video_bytes == 2000);
    CHECK(c->network_view && !c->network_ca_file && !c->network_deny[0]);
    CHECK_STR(c->network_allow[1], "*.example.com");
    CHECK(!c->render_svg && c->render_text && !c->render_pdf && c->render_video && !c->ocr);
    CHECK_STR(c->vision_model, "claude-sonnet-4-6");
    CHECK_STR(c->role_default, "anthropic/claude-opus-4-7");
    CHECK_STR(c->vision_mode, "native");
    CHECK_STR(c->retention_policy, "turns:3");
    CHECK_STR(c->record_store, "postgresql://db/fovea");
    CHECK(c->usd_per_session == 1250000000 && c->usd_per_day == 10000000000 && c->record_max_attachment_bytes == 5);
}

TEST(config_takes_every_key_of_the_contract)
{
    cleanup(config_done) struct config c = {0};
    struct fovea_fault fault;
    int r = load_text(full, &c, &fault);
    CHECK_MSG(r == 0, "%s", fault.text);
    if (r < 0)
        return;
    CHECK_STR(c.file, file_path);
    check_full(&c);
    const struct provider *home = models_provider(c.models, "home");
    CHECK(home && home->auth_none && home->no_webp && !strcmp(home->wire, "openai-chat"));
    CHECK(models_can(c.models, models_find(c.models, "home", "llava"), MODEL_VISION));
    CHECK_STR(models_find(c.models, "home", "llava")->modality_source, "config.yaml:8");
    CHECK_STR(c.fs_reach[0], "/work dir");
    CHECK_STR(c.fs_reach[1], "/home/ann/pictures");
    CHECK_STR(c.fs_reach[2], "/home/ann/a b");
    CHECK_STR(c.fs_reach[3], "/srv/shots");
    CHECK(!c.fs_reach[4]);
}

static void check_defaults(const struct config *c)
{
    CHECK(!c->block_images && c->auto_resize && c->max_dimension == 1568 && c->max_bytes == 512000);
    CHECK(c->jpeg_quality == 75 && c->min_dimension == 28 && c->max_patches == 1568);
    CHECK(c->question_timeout_ms == 300000 && c->view_max_bytes == 20971520 && c->view_max_video_bytes == 1073741824);
    CHECK_STR(c->fs_reach[0], "/work dir");
    CHECK(!c->fs_reach[1] && !c->network_allow[0] && !c->network_deny[0] && !c->network_view);
    CHECK(c->render_svg && c->render_text && c->render_pdf && c->render_video && c->ocr);
    CHECK(!c->model && !c->provider && !c->api_key && !c->network_ca_file && !c->role_vision);
    CHECK_STR(c->retention_policy, "auto");
    CHECK_STR(c->record_store, "sqlite:");
    CHECK(c->usd_per_day < 0 && c->usd_per_session < 0 && c->record_max_attachment_bytes == 20971520);
}

TEST(config_that_says_nothing_gives_the_defaults)
{
    static const char *const texts[] = {
        "", "\n", "# words\n", "---\n", "~\n", "{}", "---\n...\n", "images:\n",
        "images: {}\nrender: ~\n", "providers:\n", "\xef\xbb\xbf", "\xef\xbb\xbfimages: {}"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        cleanup(config_done) struct config c = {0};
        struct fovea_fault fault;
        int r = load_text(texts[i], &c, &fault);
        CHECK_MSG(r == 0, "row %zu: %s", i, fault.text);
        if (r == 0)
            check_defaults(&c);
    }
}

TEST(config_reads_dotted_and_nested_keys_alike)
{
    static const char *const texts[] = {
        "images.maxBytes: 7\n", "images: {maxBytes: 7}\n", "images:\n  maxBytes: 7\n", "\"images.maxBytes\": 7\n",
        "? images.maxBytes\n: 7\n", "{images.maxBytes: 7}", "images: {maxBytes: 7}\nimages.maxDimension: 1568\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        cleanup(config_done) struct config c = {0};
        struct fovea_fault fault;
        int r = load_text(texts[i], &c, &fault);
        CHECK_MSG(r == 0 && c.max_bytes == 7 && c.max_dimension == 1568, "row %zu: %s", i, fault.text);
    }
}

TEST(config_names_what_is_wrong_its_line_and_what_is_right)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"\n\n\n\n\n\nimages.maxbyte: 1\n",
         "config.yaml:7: unknown key \"images.maxbyte\"; did you mean \"images.maxBytes\"?"},
        {"images:\n  maxbytes: 1\n",
         "config.yaml:2: unknown key \"images.maxbytes\"; did you mean \"images.maxBytes\"?"},
        {"image: {maxBytes: 1}\n", "config.yaml:1: unknown key \"image\"; did you mean \"images\"?"},
        {"maxDimension: 1\n", "config.yaml:1: unknown key \"maxDimension\"; did you mean \"images.maxDimension\"?"},
        {"fsreach: []\n", "config.yaml:1: unknown key \"fsreach\"; did you mean \"fs_reach\"?"},
        {"FS_REACH: []\n", "config.yaml:1: unknown key \"FS_REACH\"; did you mean \"fs_reach\"?"},
        {"auxiliary.visoin.model: x\n",
         "config.yaml:1: unknown key \"auxiliary.visoin.model\"; did you mean \"auxiliary.vision.model\"?"},
        {"modelRoles: {vison: x}\n",
         "config.yaml:1: unknown key \"modelRoles.vison\"; did you mean \"modelRoles.vision\"?"},
        {"images..maxBytes: 1\n", "config.yaml:1: unknown key \"images..maxBytes\"; did you mean \"images.maxBytes\"?"},
        {"apiKeyENV: X\n", "config.yaml:1: unknown key \"apiKeyENV\"; did you mean \"apiKeyEnv\"?"},
        {"\nwire: gemini\n", "config.yaml:2: unknown key \"wire\"; did you mean \"providers.NAME.wire\"?"},
        {"model.: x\n", "config.yaml:1: unknown key \"model.\"; did you mean \"model\"?"},
        {"\"mod\\nel\": x\n", "config.yaml:1: unknown key \"mod\\nel\"; did you mean \"model\"?"},
        {"<<: {model: x}\n", "config.yaml:1: unknown key \"<<\"; did you mean \"view\"?"},
        {"images.maxBytes: 1\nmodel: x\nimages:\n  maxBytes: 1\n",
         "config.yaml:4: images.maxBytes is set twice, first on line 1"},
        {"model: a\nmodel: b\n", "config.yaml:2: model is set twice, first on line 1"},
        {"fs_reach:\n  - /a\nfs_reach:\n  - /b\n", "config.yaml:3: fs_reach is set twice, first on line 1"},
        {"images.maxBytes: 0\n", "config.yaml:1: images.maxBytes must be a whole number from 1 to 67108864, not \"0\""},
        {"images.maxBytes: -1\n",
         "config.yaml:1: images.maxBytes must be a whole number from 1 to 67108864, not \"-1\""},
        {"images.maxBytes: 99999999999999999999\n",
         "config.yaml:1: images.maxBytes must be a whole number from 1 to 67108864, not \"99999999999999999999\""},
        {"images.jpegQuality: 101\n",
         "config.yaml:1: images.jpegQuality must be a whole number from 1 to 100, not \"101\""},
        {"images.jpegQuality: 7.5\n",
         "config.yaml:1: images.jpegQuality must be a whole number from 1 to 100, not \"7.5\""},
        {"images.jpegQuality: \"75\"\n",
         "config.yaml:1: images.jpegQuality must be a whole number from 1 to 100, not \"75\""},
        {"view.maxBytes: 536870913\n", "config.yaml:1: view.maxBytes must be a whole number from 1 to 536870912, not \"536870913\""},
        {"view.maxVideoBytes: 2147483648\n",
         "config.yaml:1: view.maxVideoBytes must be a whole number from 1 to 1610612736, not \"2147483648\""},
        {"images.jpegQuality:\n", "config.yaml:1: images.jpegQuality must be a whole number from 1 to 100, not \"\""},
        {"images.jpegQuality: [75]\n", "config.yaml:1: images.jpegQuality must be a number"},
        {"images.autoResize: yes\n", "config.yaml:1: images.autoResize must be true or false, not \"yes\""},
        {"images.autoResize: 'true'\n", "config.yaml:1: images.autoResize must be true or false, not \"true\""},
        {"images.autoResize: {}\n", "config.yaml:1: images.autoResize must be true or false"},
        {"vision.mode: nativ\n", "config.yaml:1: vision.mode must be auto or native or text, not \"nativ\""},
        {"vision.mode: ~\n", "config.yaml:1: vision.mode must not be empty"},
        {"retention.policy: turns\n", "config.yaml:1: retention.policy must be auto or all or turns:N, not \"turns\""},
        {"retention.policy: 'turns:0'\n",
         "config.yaml:1: retention.policy must be auto or all or turns:N, not \"turns:0\""},
        {"record.store: mysql\n",
         "config.yaml:1: record.store must be sqlite:... or postgresql://... or postgres://..., not \"mysql\""},
        {"baseUrl: \"ft\\tp s://x\"\n", "config.yaml:1: baseUrl must be https://... or http://..., not another address"},
        {"baseUrl: \"://user:pass@x\"\n", "config.yaml:1: baseUrl must be https://... or http://..., not another address"},
        {"baseUrl: ftp://x\n", "config.yaml:1: baseUrl must be https://... or http://..., not an address of scheme \"ftp\""},
        {"budget.usdPerDay: lots\n", "config.yaml:1: budget.usdPerDay must be an amount such as 2.50, not \"lots\""},
        {"budget.usdPerDay: -1\n", "config.yaml:1: budget.usdPerDay must be an amount such as 2.50, not \"-1\""},
        {"budget.usdPerDay: 1.\n", "config.yaml:1: budget.usdPerDay must be an amount such as 2.50, not \"1.\""},
        {"budget.usdPerDay: 0.1234567891\n",
         "config.yaml:1: budget.usdPerDay must be an amount such as 2.50, not \"0.1234567891\""},
        {"model: ''\n", "config.yaml:1: model must not be empty"},
        {"model: [a]\n", "config.yaml:1: model must be a string"},
        {"model: \"a\\0b\"\n", "config.yaml:1: model holds a NUL character"},
        {"fs_reach: /srv\n", "config.yaml:1: fs_reach must be a list, such as [\"${cwd}\"]"},
        {"fs_reach:\n", "config.yaml:1: fs_reach must be a list, such as [\"${cwd}\"]"},
        {"fs_reach: {a: b}\n", "config.yaml:1: fs_reach must be a list"},
        {"fs_reach:\n  - [a]\n", "config.yaml:2: fs_reach must be a list of strings"},
        {"fs_reach:\n  - /a\n  - shots\n",
         "config.yaml:3: fs_reach entry \"shots\" must be absolute, or start with ${cwd}, ${home} or ~/"},
        {"fs_reach: [\"${cwdx}/a\"]\n",
         "config.yaml:1: fs_reach entry \"${cwdx}/a\" has an unknown variable; ${cwd}, ${home} or ~/ may start it"},
        {"fs_reach: [\"/a/${home}\"]\n",
         "config.yaml:1: fs_reach entry \"/a/${home}\" has an unknown variable; ${cwd}, ${home} or ~/ may start it"},
        {"fs_reach: [~bob/x]\n",
         "config.yaml:1: fs_reach entry \"~bob/x\" has an unknown variable; ${cwd}, ${home} or ~/ may start it"},
        {"fs_reach: [~]\n", "config.yaml:1: fs_reach must not be empty"},
        {"network.allow: example.org\n", "config.yaml:1: network.allow must be a list, such as [\"example.org\"]"},
        {"network:\n  allow: [\"https://ann:s3cret@x\"]\n",
         "config.yaml:2: an entry of network.allow must be a host, such as \"example.org\" or \"*.example.org\", not a URL"},
        {"network.deny: [\"a b\"]\n",
         "config.yaml:1: network.deny entry \"a b\" must be a host, such as \"example.org\" or \"*.example.org\""},
        {"images: 5\n", "config.yaml:1: images must be a mapping of settings"},
        {"images: [maxBytes]\n", "config.yaml:1: images must be a mapping of settings"},
        {"providers: 5\n", "config.yaml:1: providers must be a mapping"},
        {"[]\n", "config.yaml:1: expected settings such as \"images.maxBytes: 512000\""},
        {"just words\n", "config.yaml:1: expected settings such as \"images.maxBytes: 512000\""},
        {"[a]: b\n", "config.yaml:1: a key must be a word, not a list or a mapping"},
        {"model: a\n---\nmodel: b\n", "config.yaml:2: a second document; put all settings in one"},
        {"model: &a x\n", "config.yaml:1: anchors are not supported; write the value out"},
        {"providers: &a {}\n", "config.yaml:1: anchors are not supported; write the value out"},
        {"model: *a\n", "config.yaml:1: aliases are not supported; write the value out"},
        {"model: !!str 5\n", "config.yaml:1: tags are not supported; write the value out"},
        {"providers: {home: {wier: gemini}}\n", "config.yaml:1: unknown key \"providers.home.wier\"; did you mean \"wire\"?"},
        {"providers.home.wire: smoke\n",
         "config.yaml:1: providers.home.wire must be anthropic, openai-chat, openai-responses or gemini"},
        {"providers:\n  home:\n    models:\n      llava: {visoin: true}\n",
         "config.yaml:4: unknown key \"providers.home.models.llava.visoin\"; did you mean \"vision\"?"},
        {"providers: {home: {models: {llava: {vision: maybe}}}}\n",
         "config.yaml:1: providers.home.models.llava.vision must be true or false"},
        {"providers.home.models.llava.input: 1.x\n",
         "config.yaml:1: providers.home.models.llava.input must be dollars a million tokens, such as 2.50"},
        {"providers: {a: {auth: none}}\nproviders.a.auth: key\n", "config.yaml:2: providers.a.auth is set twice"},
        {"providers: {a: {apiKey: [s3cret]}}\n", "config.yaml:1: providers.a.apiKey must be a word"},
        {"providers: {a/b: {}}\n", "config.yaml:1: providers.a/b must be a name without a slash, and not local"},
        {"providers: {a: 5}\n",
         "config.yaml:1: providers.a must be a mapping, such as {wire: openai-chat, baseUrl: \"http://127.0.0.1:8080/v1\"}"},
        {"providers: {a: *b}\n", "config.yaml:1: aliases are not supported; write the value out"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct config c = {.max_bytes = 42};
        struct fovea_fault fault;
        int r = load_text(rows[i].text, &c, &fault);
        CHECK_MSG(r == -EINVAL && fault.code == -EINVAL && c.max_bytes == 42, "row %zu", i);
        CHECK_STR(fault.text, rows[i].want);
        if (r == 0)
            config_done(&c);
    }
}

TEST(config_that_is_no_yaml_names_the_line)
{
    static const char *const texts[] = {
        "model: a\nimages: {\n", "model: \"a\n", "a: b: c\n", "\tmodel: a\n", "model: a\n b\n: c",
        "model: \xff\xfe\n", "model: a\x01z\n", "%YAML 9.9\n---\nmodel: a\n", "- a\nb: c\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct config c = {0};
        struct fovea_fault fault;
        CHECK_MSG(load_text(texts[i], &c, &fault) == -EINVAL, "row %zu", i);
        CHECK_MSG(!strncmp(fault.text, "config.yaml:", 12), "row %zu: %s", i, fault.text);
    }
}

TEST(config_with_a_key_in_it_must_be_closed_to_others)
{
    static const struct {
        const char *text;
        mode_t mode;
        bool want;
    } rows[] = {
        {"apiKey: s3cret\n", 0600, true},  {"apiKey: s3cret\n", 0400, true},
        {"apiKey: s3cret\n", 0640, false}, {"apiKey: s3cret\n", 0604, false},
        {"apiKeyEnv: KEY\n", 0644, true},  {"auxiliary: {vision: {apiKey: s3cret}}\n", 0644, false},
        {"providers: {a: {apiKey: s3cret}}\n", 0644, false},
        {"providers.a.apiKey: s3cret\n", 0644, false},
        {"providers: {a.apiKey: s3cret}\n", 0644, false},
        {"providers: {a: {webp: false}}\n", 0644, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        cleanup(config_done) struct config c = {0};
        struct fovea_fault fault = {0};
        CHECK(write_file(rows[i].text, strlen(rows[i].text), rows[i].mode));
        int r = config_load(file_path, "/", NULL, &c, &fault);
        CHECK_MSG((r == 0) == rows[i].want, "row %zu: %s", i, fault.text);
        CHECK_MSG(rows[i].want || strstr(fault.text, "chmod 600 /"), "row %zu: %s", i, fault.text);
        CHECK_MSG(!strstr(fault.text, "s3cret"), "row %zu", i);
    }
}

TEST(config_faults_never_show_a_key)
{
    static const char *const texts[] = {
        "apiKey: [s3cret]\n", "apiKey: {s3cret: 1}\n", "apiKey: s3cret\napiKey: s3cret\n",
        "apiKey: \"s3cret\\0\"\n", "apiKey: s3cret\nmodel: *x\n", "apiKey: \"s3cret\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct config c = {0};
        struct fovea_fault fault;
        CHECK_MSG(load_text(texts[i], &c, &fault) == -EINVAL && !strstr(fault.text, "s3cret"), "row %zu: %s", i,
                  fault.text);
    }
}

TEST(config_file_that_is_missing_or_no_file)
{
    struct config c = {0};
    struct fovea_fault fault;
    CHECK(write_file("", 0, 0600));
    CHECK(config_load("/nonexistent/c.yaml", "/", NULL, &c, &fault) == -ENOENT);
    CHECK_STR(fault.text, "cannot open \"c.yaml\": No such file or directory");
    CHECK(config_load(folder, "/", NULL, &c, &fault) == -EINVAL && strstr(fault.text, "is not a regular file"));
    CHECK(config_load("/dev/null", "/", NULL, &c, &fault) == -EINVAL);
    CHECK(unlink(file_path) == 0 && mkfifo(file_path, 0600) == 0);
    CHECK(config_load(file_path, "/", NULL, &c, &fault) == -EINVAL);
    CHECK(unlink(file_path) == 0);
    CHECK(config_load("", "/work dir", NULL, &c, &fault) == 0);
    check_defaults(&c);
    CHECK(!c.file);
    config_done(&c);
    config_done(&c);
    config_done(NULL);
}

TEST(config_path_follows_the_environment)
{
    static const struct {
        const char *xdg, *home, *want;
    } rows[] = {
        {"/x", "/h", "/x/fovea/config.yaml"},          {NULL, "/h", "/h/.config/fovea/config.yaml"},
        {"", "/h", "/h/.config/fovea/config.yaml"},    {"relative", "/h", "/h/.config/fovea/config.yaml"},
        {NULL, NULL, NULL},                            {NULL, "relative", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)(rows[i].xdg ? setenv("XDG_CONFIG_HOME", rows[i].xdg, 1) : unsetenv("XDG_CONFIG_HOME"));
        (void)(rows[i].home ? setenv("HOME", rows[i].home, 1) : unsetenv("HOME"));
        auto_free char *path = config_path_new();
        CHECK_MSG(!path == !rows[i].want && (!path || !strcmp(path, rows[i].want)), "row %zu: %s", i,
                  path ? path : "-");
    }
    struct config c = {0};
    struct fovea_fault fault = {0};
    CHECK(config_load(NULL, "/work dir", NULL, &c, &fault) == 0 && !c.file && !fault.code);
    config_done(&c);
    (void)setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    CHECK(config_load(NULL, "/work dir", NULL, &c, &fault) == 0 && !c.file && !fault.code);
    check_defaults(&c);
    config_done(&c);
}

TEST(config_without_a_home_refuses_what_needs_one)
{
    struct config c = {0};
    struct fovea_fault fault;
    static const char text[] = "fs_reach: [~/a]\n";
    CHECK(write_file(text, sizeof text - 1, 0600));
    CHECK(config_load(file_path, "/", NULL, &c, &fault) == -EINVAL);
}

/* ---------------------------------------------------------------- ceilings */

static int load_repeated(const char *head, const char *unit, size_t times, const char *tail, struct fovea_fault *fault)
{
    struct config c = {0};
    auto_buf text = BUF_INIT(4 * MIB);
    (void)buf_add_str(&text, head);
    for (size_t i = 0; i < times; i++)
        (void)buf_add_str(&text, unit);
    CHECK(buf_add_str(&text, tail) == 0);
    int r = load_bytes(text.data, text.len, &c, fault);
    if (r == 0)
        config_done(&c);
    return r;
}

TEST(config_ceilings_hold)
{
    struct fovea_fault fault;
    CHECK(load_repeated("fs_reach: [", "/a, ", 64, "]", &fault) == 0);
    CHECK(load_repeated("fs_reach: [", "/a, ", 65, "]", &fault) == -EINVAL);
    CHECK_STR(fault.text, "config.yaml:1: fs_reach has more than 64 entries");
    CHECK(load_repeated("network.deny: [", "a, ", 256, "]", &fault) == 0);
    CHECK(load_repeated("network.deny: [", "a, ", 257, "]", &fault) == -EINVAL);
    CHECK(load_repeated("model: ", "m", 4095, "", &fault) == 0);
    CHECK(load_repeated("model: ", "m", 4096, "", &fault) == -EINVAL);
    CHECK_STR(fault.text, "config.yaml:1: model is longer than 4095 bytes");
    CHECK(load_repeated("fs_reach: [\"${cwd}/", "m", 4090, "\"]", &fault) == -EINVAL);
    CHECK(load_repeated("", "k", 900, ": 1", &fault) == -EINVAL);
    CHECK(load_repeated("providers: {", "a: {}, ", 1, "}", &fault) == 0);
    CHECK(load_repeated("providers: ", "{a: ", 15, "1}}}}}}}}}}}}}}}", &fault) == -EINVAL);
    CHECK_STR(fault.text, "config.yaml:1: unknown key \"providers.a.a\"; did you mean \"auth\"?");
    CHECK(load_repeated("#", "x", 1 * MIB - 1, "", &fault) == 0);
    CHECK(load_repeated("#", "x", 1 * MIB, "", &fault) == -EFBIG);
    CHECK_STR(fault.text, "\"config.yaml\" is larger than 1048576 bytes");
}

TEST(config_nested_without_end_is_refused_early)
{
    static const char *const units[] = {"[", "{", "{a: ", "[{", "- ", "? ", "{? [", "providers: {a: ["};
    struct fovea_fault fault;
    for (size_t i = 0; i < COUNT(units); i++)
        CHECK_MSG(load_repeated("providers: ", units[i], 100000 / strlen(units[i]), "", &fault) == -EINVAL, "%s",
                  units[i]);
    CHECK(load_repeated("a: &a [x, x]\n", "b: &b [*a, *a, *a, *a, *a, *a]\n", 1000, "", &fault) == -EINVAL);
    CHECK(load_repeated("providers:\n  a: &a [x, x]\n", "  b: &b [*a, *a]\n", 1000, "", &fault) == -EINVAL);
}

/* Without a file, which is the slow part; in a block of just that size, so that the sanitizer sees a read past it. */
static int parse_bytes(const char *text, size_t len, struct fovea_fault *fault)
{
    cleanup(config_done) struct config c = {0};
    struct config_place at = {.file = "config.yaml", .line = 1, .cwd = "/", .home = "/h", .fault = fault};
    bool secret;
    auto_free char *block = malloc(len ? len : 1);
    CHECK(block && config_defaults("/", &c, fault) == 0);
    if (!block)
        return -ENOMEM;
    memcpy(block, text, len);
    *fault = (struct fovea_fault){0};
    return config_parse(&at, block, len, &c, &secret);
}

TEST(config_cut_anywhere_is_taken_or_refused_in_order)
{
    struct fovea_fault fault;
    for (size_t len = 0; len < sizeof full; len++) {
        int r = parse_bytes(full, len, &fault);
        CHECK_MSG(r == 0 || (r == -EINVAL && !strncmp(fault.text, "config.yaml:", 12)), "%zu bytes: %s", len,
                  fault.text);
    }
}

static uint32_t random_state = 88172645u;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % n;
}

TEST(config_of_any_bytes_does_no_harm)
{
    static const char *const pieces[] = {
        "images", ".", ": ", "\n", "{", "}", "[", "]", "&a ", "*a", "- ", "? ", "| ", ">\n",
        "\"", "'", "~", "maxBytes", "fs_reach", "${cwd}", "providers", "#", "!!", "%",
        "---\n", "  ", "\t", "1", "\xff", "\xc3", ",", "apiKey"};
    char text[400];
    struct fovea_fault fault;
    for (int i = 0; i < 20000; i++) {
        size_t len = random_below(sizeof text), used = 0;
        if (i % 2) { /* a right file with some wrong bytes */
            size_t from = random_below(sizeof full - 1);
            used = MIN(len, sizeof full - 1 - from);
            memcpy(text, full + from, used);
            for (uint32_t n = random_below(4); n && used; n--)
                text[random_below((uint32_t)used)] = (char)random_below(256);
        }
        while (i % 2 == 0 && used + 16 < len) {
            const char *piece = pieces[random_below(COUNT(pieces))];
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", piece);
        }
        int r = parse_bytes(text, used, &fault);
        CHECK_MSG(r == 0 || (r == -EINVAL && fault.text[0]), "round %d: %d", i, r);
    }
}

/* ---------------------------------------------------------------- personalities */

enum { VIEW_TOOL = 1, READ_TOOL = 2, ASK_TOOLS = 4 + 8 + 16 }; /* by their place in fovea_tools() */

TEST(toolset_takes_names_and_names_what_is_wrong)
{
    static const struct {
        const char *text, *want; /* NULL: taken */
        uint32_t tools;
    } rows[] = {
        {"- view\n- read\n", NULL, VIEW_TOOL | READ_TOOL},
        {"[read]", NULL, READ_TOOL},
        {"tools: [view]", NULL, VIEW_TOOL},
        {"tools:\n  - view\n  - vision\n  - inspect_image\n  - vision_analyze\n  - video_analyze\n", NULL, VIEW_TOOL | ASK_TOOLS},
        {"[vision]", NULL, ASK_TOOLS},
        {"[]", NULL, 0},
        {"[view, view]", NULL, VIEW_TOOL},
        {"# none yet\n", "toolset.yaml:2: expected a list of tools", 0},
        {"- view\n- raed\n", "toolset.yaml:2: unknown tool \"raed\"; did you mean \"read\"?", 0},
        {"- View\n", "toolset.yaml:1: unknown tool \"View\"; did you mean \"view\"?", 0},
        {"- vison\n", "did you mean \"vision\"?", 0},
        {"- inspectimage\n", "did you mean \"inspect_image\"?", 0},
        {"- \"view\\0x\"\n", "unknown tool", 0},
        {"- [view]\n", "toolset.yaml:1: a tool must be a name", 0},
        {"view\n", "toolset.yaml:1: expected a list of tools", 0},
        {"tools: view\n", "toolset.yaml:1: expected a list of tools", 0},
        {"toolz: [view]\n", "toolset.yaml:1: expected one key, tools", 0},
        {"tools: [view]\ntools: [read]\n", "toolset.yaml:2: expected one key, tools", 0},
        {"{}\n", "toolset.yaml:1: expected the key tools", 0},
        {"- view\n---\n- read\n", "toolset.yaml:2: a second document", 0},
        {"- &a view\n", "anchors are not supported", 0},
        {"- view\n\t- read: {\n", "not valid YAML", 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fovea_fault fault = {0};
        struct config_place at = {.file = "toolset.yaml", .line = 1, .fault = &fault};
        uint32_t tools = 77;
        int r = toolset_parse(&at, rows[i].text, strlen(rows[i].text), &tools);
        if (rows[i].want)
            CHECK_MSG(r == -EINVAL && tools == 77 && strstr(fault.text, rows[i].want), "row %zu: %s", i, fault.text);
        else
            CHECK_MSG(r == 0 && tools == rows[i].tools, "row %zu: %u, %s", i, tools, fault.text);
    }
}

/* A folder of our own with personalities in it. */
static char house[] = "/tmp/fovea-house-XXXXXX";

static const char *in_house(const char *name)
{
    static char path[LIMIT_PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", house, name);
    return path;
}

static void put_in_house(const char *name, const char *text)
{
    auto_close int fd = open(in_house(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

static const char *const house_files[] = {"personalities/both/toolset.yaml", "personalities/both/config.yaml",
                                          "personalities/wrong/config.yaml", "link"};
static const char *const house_folders[] = {"personalities", "personalities/both", "personalities/bare",
                                            "personalities/wrong", "in", "in/sub", "out"};

static void remove_house(void)
{
    for (size_t i = 0; i < COUNT(house_files); i++)
        (void)unlink(in_house(house_files[i]));
    for (size_t i = COUNT(house_folders); i--;)
        (void)rmdir(in_house(house_folders[i]));
    (void)rmdir(house);
}

static void build_house(void)
{
    static bool built;
    if (built)
        return;
    built = mkdtemp(house) != NULL;
    CHECK(built);
    (void)atexit(remove_house);
    for (size_t i = 0; i < COUNT(house_folders); i++)
        CHECK(mkdir(in_house(house_folders[i]), 0700) == 0);
    put_in_house(house_files[0], "[read]\n");
    put_in_house(house_files[1], "model: other\nfs_reach: [/srv]\nnetwork.allow: [b.example]\n");
    put_in_house(house_files[2], "model: m\nmodle: x\n");
    CHECK(symlink("in", in_house("link")) == 0);
}

TEST(personality_that_cannot_be_had_says_which)
{
    static const struct {
        const char *id;
        int code;
        const char *want;
    } rows[] = {
        {"", -EINVAL, "is no name"},
        {".", -EINVAL, "is no name"},
        {"..", -EINVAL, "is no name"},
        {"../both", -EINVAL, "is no name"},
        {"both/", -EINVAL, "is no name"},
        {"b\xc3\xa9", -EINVAL, "is no name"},
        {"0123456789012345678901234567890123456789012345678901234567890123x", -EINVAL, "is no name"},
        {"none", -ENOENT, "/personalities/none"},
        {"wrong", -EINVAL, "personalities/wrong/config.yaml:2: unknown key \"modle\"; did you mean \"model\"?"},
    };
    build_house();
    for (size_t i = 0; i < COUNT(rows); i++) {
        cleanup(config_done) struct config c = {0};
        struct fovea_fault fault = {0};
        struct personality_options options = {rows[i].id, house, "/", NULL};
        uint32_t tools = 77;
        CHECK(config_defaults("/", &c, &fault) == 0);
        CHECK_MSG(personality_load(&options, &c, &tools, &fault) == rows[i].code && tools == 77, "row %zu", i);
        CHECK_MSG(strstr(fault.text, rows[i].want), "row %zu: %s", i, fault.text);
    }
}

TEST(personality_config_lies_over_the_other)
{
    cleanup(config_done) struct config c = {0};
    struct fovea_fault fault = {0};
    uint32_t tools = 0;
    build_house();
    CHECK(load_text("model: first\nprovider: p\nnetwork: {allow: [a.example, c.example]}\n", &c,
                    &fault) == 0);
    struct personality_options bare = {"bare", house, "/", NULL}, both = {"both", house, "/", NULL};
    CHECK(personality_load(&bare, &c, &tools, &fault) == 0 && tools == UINT32_MAX);
    CHECK_STR(c.model, "first");
    CHECK_MSG(personality_load(&both, &c, &tools, &fault) == 0 && tools == READ_TOOL, "%s", fault.text);
    CHECK_STR(c.model, "other");
    CHECK_STR(c.provider, "p");
    CHECK_STR(c.fs_reach[0], "/srv");
    CHECK_STR(c.network_allow[0], "b.example");
    CHECK(!c.fs_reach[1] && !c.network_allow[1] && c.reach_set);
    CHECK_STR(c.file, file_path);
    CHECK_STR(c.overlay, in_house(house_files[1]));
    CHECK_STR(c.reach_file, in_house(house_files[1]));
}

/* ---------------------------------------------------------------- --root and fs_reach */

/* Names are of folders in the house; "" is the house. */
TEST(roots_narrow_the_reach_and_never_widen_it)
{
    static const struct {
        const char *reach[3], *roots[3];
        const char *want[3];
        const char *fault; /* NULL: none */
    } rows[] = {
        {{NULL}, {"out"}, {"out"}, NULL}, /* no file set it */
        {{"in"}, {"in"}, {"in"}, NULL},
        {{"in"}, {"in/sub"}, {"in/sub"}, NULL},
        {{"in"}, {""}, {"in"}, NULL},
        {{"in", "out"}, {""}, {"in", "out"}, NULL},
        {{"in", "out"}, {"in/sub", "out"}, {"in/sub", "out"}, NULL},
        {{"in", "in/sub"}, {"in/sub"}, {"in/sub"}, NULL},
        {{"link"}, {"in/sub"}, {"in/sub"}, NULL},
        {{"in"}, {"link/sub"}, {"link/sub"}, NULL},
        {{"link"}, {""}, {"link"}, NULL},
        {{"in"}, {"out"}, {NULL}, "out\" lies outside fs_reach of "},
        {{"in"}, {"in", "out"}, {NULL}, "out\" lies outside fs_reach of "},
        {{"in/sub"}, {"in/sub/../../out"}, {NULL}, "lies outside fs_reach of "},
        {{"gone"}, {"in"}, {NULL}, "lies outside fs_reach of "},
        {{"in"}, {"in/none"}, {NULL}, "in/none\" is no folder that can be read"},
    };
    build_house();
    for (size_t i = 0; i < COUNT(rows); i++) {
        cleanup(config_done) struct config c = {0};
        struct fovea_fault fault = {0};
        auto_buf text = BUF_INIT(64 * KIB);
        char roots[3][LIMIT_PATH_BYTES];
        const char *list[4] = {0};
        for (size_t k = 0; k < 3 && rows[i].reach[k]; k++)
            (void)buf_add_format(&text, "%s\n- %s", k ? "" : "fs_reach:", in_house(rows[i].reach[k]));
        for (size_t k = 0; k < 3 && rows[i].roots[k]; k++) {
            (void)snprintf(roots[k], sizeof roots[k], "%s", in_house(rows[i].roots[k]));
            list[k] = roots[k];
        }
        CHECK_MSG(load_text(text.data ? text.data : "", &c, &fault) == 0, "row %zu: %s", i, fault.text);
        int r = config_narrow(&c, list, &fault);
        if (rows[i].fault) {
            CHECK_MSG(r == -EINVAL && strstr(fault.text, rows[i].fault), "row %zu: %s", i, fault.text);
            continue;
        }
        CHECK_MSG(r == 0, "row %zu: %s", i, fault.text);
        size_t k = 0;
        for (; r == 0 && k < 3 && rows[i].want[k]; k++)
            CHECK_STR(c.fs_reach[k], in_house(rows[i].want[k]));
        CHECK_MSG(r < 0 || !c.fs_reach[k], "row %zu", i);
    }
}

/* Of a personality: what both share; where the config does not set it, what it says. */
TEST(overlay_narrows_the_reach_and_never_widens_it)
{
    static const struct {
        const char *reach[3], *over[3];
        const char *want[3]; /* none: a fault that names both files */
    } rows[] = {
        {{NULL}, {"out"}, {"out"}},          {{"in"}, {"in/sub"}, {"in/sub"}}, {{"in"}, {""}, {"in"}},
        {{"in"}, {"out", "in/sub"}, {"in/sub"}}, {{"in", "out"}, {"link"}, {"link"}}, {{"in"}, {"out"}, {NULL}},
        {{"in"}, {"in/sub/../../out"}, {NULL}},  {{"in/sub"}, {"in", "out"}, {"in/sub"}},
    };
    build_house();
    for (size_t i = 0; i < COUNT(rows); i++) {
        cleanup(config_done) struct config c = {0};
        struct fovea_fault fault = {0};
        auto_buf text = BUF_INIT(64 * KIB), over = BUF_INIT(64 * KIB);
        size_t k = 0;
        for (; k < 3 && rows[i].reach[k]; k++)
            (void)buf_add_format(&text, "%s\n- %s", k ? "" : "fs_reach:", in_house(rows[i].reach[k]));
        for (k = 0; k < 3 && rows[i].over[k]; k++)
            (void)buf_add_format(&over, "%s\n- %s", k ? "" : "fs_reach:", in_house(rows[i].over[k]));
        put_in_house("over.yaml", over.data);
        CHECK(load_text(text.data ? text.data : "", &c, &fault) == 0);
        int r = config_overlay(in_house("over.yaml"), "over.yaml", "/", NULL, &c, &fault);
        CHECK_MSG(r == (rows[i].want[0] ? 0 : -EINVAL), "row %zu: %s", i, fault.text);
        CHECK_MSG(r == 0 || (strstr(fault.text, "over.yaml lies outside") && strstr(fault.text, file_path)), "%s", fault.text);
        for (k = 0; r == 0 && k < 3 && rows[i].want[k]; k++)
            CHECK_STR(c.fs_reach[k], in_house(rows[i].want[k]));
        CHECK_MSG(r < 0 || !c.fs_reach[k], "row %zu", i);
    }
    CHECK(unlink(in_house("over.yaml")) == 0);
}

/* A link that is turned between the look and the gate must not lead further than what was looked at. */
TEST(narrowed_reach_says_where_it_truly_is)
{
    cleanup(config_done) struct config c = {0};
    struct fovea_fault fault = {0};
    char text[LIMIT_PATH_BYTES + 16], link[LIMIT_PATH_BYTES];
    build_house();
    (void)snprintf(text, sizeof text, "fs_reach: [%s]\n", in_house("in"));
    (void)snprintf(link, sizeof link, "%s", in_house("link"));
    CHECK(load_text(text, &c, &fault) == 0 && config_narrow(&c, (const char *[]){link, NULL}, &fault) == 0);
    CHECK_STR(c.fs_reach[0], link);
    CHECK_STR(c.reach_true[0], in_house("in"));
    CHECK(!c.reach_true[1]);
}

TEST(roots_too_many_to_share_are_a_fault)
{
    cleanup(config_done) struct config c = {0};
    struct fovea_fault fault = {0};
    auto_buf text = BUF_INIT(64 * KIB);
    char roots[LIMIT_ROOTS + 1][128];
    const char *list[LIMIT_ROOTS + 2] = {0};
    build_house();
    (void)buf_add_format(&text, "fs_reach: [%s]\n", house);
    for (size_t i = 0; i <= LIMIT_ROOTS; i++) { /* one folder, spelled in as many ways */
        (void)snprintf(roots[i], sizeof roots[i], "%s%.*s", house, (int)i, "//////////////////////////////////////////////////////////////////////");
        list[i] = roots[i];
    }
    CHECK(load_text(text.data, &c, &fault) == 0);
    CHECK(config_narrow(&c, list, &fault) == -EINVAL && strstr(fault.text, "share more than 64 folders"));
}

TEST(hosts_are_read_dotted_and_nested_alike)
{
    static const char *const texts[] = {
        "providers: {home: {auth: none, models: {llava.v1: {vision: true}}}}\n",
        "providers.home.auth: none\nproviders.home.models.llava.v1.vision: true\n",
        "providers: {home.auth: none, home.models.llava.v1.vision: true}\n",
        "providers: {home: {auth: none, models.llava.v1.vision: true}}\n",
        "providers.home: {auth: none, models: {llava.v1.vision: true}}\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        cleanup(config_done) struct config c = {0};
        struct fovea_fault fault;
        int r = load_text(texts[i], &c, &fault);
        CHECK_MSG(r == 0, "row %zu: %s", i, fault.text);
        if (r < 0)
            continue;
        const struct provider *home = models_provider(c.models, "home");
        CHECK_MSG(home && home->auth_none && models_find(c.models, "home", "llava.v1"), "row %zu", i);
    }
}

static void models_free_p(struct models **m)
{
    models_free(*m);
}

TEST(models_file_names_what_is_wrong_its_line_and_what_is_right)
{
    static const struct {
        const char *text, *want; /* NULL: it is right */
    } rows[] = {
        {"", NULL},
        {"# nothing\n", NULL},
        {"anthropic/claude-9: {vision: true, input: 2.50, output: 10}\n", NULL},
        {"openrouter/qwen/qwen-9:free: {vision: true}\nollama/llava:13b:\n", NULL},
        {"gemini/gemini-9.vision: true\n", NULL},
        {"anthropic/claude-9:\n  visoin: true\n", "models.yaml:2: unknown key \"anthropic/claude-9.visoin\"; did you mean \"vision\"?"},
        {"anthropic/claude-9: {context: many}\n", "models.yaml:1: anthropic/claude-9.context must be a whole number"},
        {"\nantropic/x: {}\n",
         "models.yaml:2: \"antropic/x\" names no provider; did you mean \"anthropic\", or is it missing from providers?"},
        {"claude-9: {}\n", "models.yaml:1: claude-9 must be PROVIDER/ID, such as anthropic/claude-opus-4-7"},
        {"anthropic/a: {pdf: true}\nanthropic/a: {pdf: false}\n", "models.yaml:2: anthropic/a.pdf is set twice"},
        {"- x\n", "models.yaml:1: expected models such as \"anthropic/claude-opus-4-7: {vision: true}\""},
        {"anthropic/a: 5\n", "models.yaml:1: a must be a mapping, such as {vision: true}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        cleanup(models_free_p) struct models *m = models_new();
        struct fovea_fault fault = {0};
        struct config_place at = {.file = "models.yaml", .line = 1, .fault = &fault};
        int r = models_parse(&at, rows[i].text, strlen(rows[i].text), m);
        CHECK_MSG(r == (rows[i].want ? -EINVAL : 0), "row %zu: %s", i, fault.text);
        CHECK_STR(fault.text, rows[i].want ? rows[i].want : "");
    }
}

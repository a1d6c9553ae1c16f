/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every setting, one row each. Rows whose use comes with a later command are here too, so that one config file serves
 * and a slip of the pen in any key is found at once.
 */
#include "api/config_keys.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "api/config.h"
#include "base/cleanup.h"
#include "base/nearest.h"
#include "fit/plan.h"
#include "model/models.h"

static const char *const modes[] = {"auto", "native", "text", NULL};
static const char *const policies[] = {"auto", "all", "turns:#", NULL};
static const char *const stores[] = {"sqlite:*", "postgresql://*", "postgres://*", NULL};
static const char *const urls[] = {"https://*", "http://*", NULL};

#define AT(member) .offset = offsetof(struct config, member)
#define HELP(words) .help = (words)
#define BOOL(name, member, value, ...) \
    {.path = (name), .type = CONFIG_BOOL, AT(member), .number = (value), __VA_ARGS__}
#define INT(name, member, low, high, value, ...)                                            \
    {.path = (name), .type = CONFIG_INT, AT(member), .min = (low), .max = (int64_t)(high), \
     .number = (int64_t)(value), __VA_ARGS__}
#define USD(name, member, ...) \
    {.path = (name), .type = CONFIG_USD, AT(member), .max = 1000000, .number = -1, __VA_ARGS__}
#define STRING(name, member, ...) {.path = (name), .type = CONFIG_STRING, AT(member), __VA_ARGS__}
#define FORM(name, member, all, value, ...) \
    {.path = (name), .type = CONFIG_STRING, AT(member), .forms = (all), .text = (value), __VA_ARGS__}
#define HOSTS(name, member, ...) {.path = (name), .type = CONFIG_HOSTS, AT(member), .max = LIMIT_CONFIG_LIST, __VA_ARGS__}

const struct config_key config_keys[] = {
    BOOL("images.blockImages", block_images, false, HELP("refuse every picture")),
    BOOL("images.autoResize", auto_resize, true, HELP("fit pictures to what models take; false keeps pixels and encoding, less the metadata")),
    INT("images.maxDimension", max_dimension, 1, LIMIT_SIDE, FIT_USUAL_EDGE, HELP("longest side of what is shown, in pixels")),
    INT("images.maxBytes", max_bytes, 1, LIMIT_WORKER_OUTPUT, 512000, HELP("most bytes of what is shown")),
    INT("images.jpegQuality", jpeg_quality, 1, 100, 75, HELP("quality of the first attempt, for JPEG and WebP")),
    INT("images.minDimension", min_dimension, 0, 1024, 28, HELP("shortest side; smaller pictures are enlarged, because providers reject them")),
    INT("images.maxPatches", max_patches, 0, 1000000, 1568,
        HELP("most patches of 28x28 pixels that a picture has while the host's model is not known (MCP); 0 is off")),
    INT("images.questionTimeoutMs", question_timeout_ms, 0, 86400000, 300000,
        HELP("longest wait for the answer to a question, in milliseconds; 0 waits for ever")),
    INT("view.maxBytes", view_max_bytes, 1, LIMIT_VIEW_BYTES_MOST, LIMIT_VIEW_BYTES,
        HELP("most bytes of a source that view opens, unless it is a video")),
    INT("view.timeoutMs", view_timeout_ms, 100, 60000, LIMIT_WORKER_MS,
        HELP("most milliseconds that decoding or drawing one picture may take")),
    INT("view.maxVideoBytes", view_max_video_bytes, 1, LIMIT_VIDEO_BYTES_MOST, 1 * GIB, HELP("most bytes of a video")),
    {.path = "fs_reach", .type = CONFIG_FOLDERS, AT(fs_reach), .max = LIMIT_ROOTS, .text = "${cwd}",
     HELP("the folders that may be read; ${cwd} is where fovea was started, ${home} and ~/ the home folder")},
    BOOL("network.view", network_view, false, HELP("let view fetch pictures from https URLs too")),
    HOSTS("network.allow", network_allow, HELP("the only hosts that pictures are fetched from, such as \"*.example.org\"; empty: any public one")),
    HOSTS("network.deny", network_deny, HELP("hosts that nothing is fetched from, whatever network.allow says")),
    STRING("network.caFile", network_ca_file, HELP("file of certificates (PEM) to trust besides the system's")),
    BOOL("render.svg", render_svg, true, HELP("let view draw SVG")),
    BOOL("render.text", render_text, true, HELP("let view draw text, code and Markdown")),
    BOOL("render.pdf", render_pdf, true, HELP("let view draw pages of PDF")),
    BOOL("render.video", render_video, true, HELP("let view draw frames of videos")),
    STRING("provider", provider, HELP("who is asked: anthropic, openai, google, openrouter, ..., or a key of providers")),
    STRING("model", model, HELP("which of its models")),
    STRING("apiKey", api_key, HELP("its key; the file must then be yours alone (0600)")),
    STRING("apiKeyEnv", api_key_env, HELP("the environment variable that holds its key")),
    FORM("baseUrl", base_url, urls, NULL, HELP("where it is, instead of its usual address")),
    STRING("auxiliary.vision.model", vision_model, HELP("a model for pictures, where the other is not to be asked")),
    STRING("auxiliary.vision.provider", vision_provider, HELP("its provider")),
    STRING("auxiliary.vision.apiKey", vision_api_key, HELP("its key")),
    STRING("auxiliary.vision.apiKeyEnv", vision_api_key_env, HELP("the variable of its key")),
    FORM("auxiliary.vision.baseUrl", vision_base_url, urls, NULL, HELP("its address")),
    STRING("modelRoles.vision", role_vision, HELP("PROVIDER/MODEL that questions about pictures go to; :low, :medium or :high at its end is the effort")),
    STRING("modelRoles.default", role_default, HELP("PROVIDER/MODEL for everything else")),
    BOOL("models.ocr", ocr, true, HELP("read text on this machine (local/ocr) when no other model can be asked")),
    FORM("vision.mode", vision_mode, modes, "auto",
         HELP("auto: vision_analyze gives pixels to a host whose model is known to see; native: to every host; text: to none")),
    INT("vision.maxOutputTokens", max_output, 0, 1000000, 4096, HELP("longest answer, in tokens; 0 leaves it to the model")),
    INT("vision.maxCallsPerImage", max_calls_per_image, 0, 1000000, 0,
        HELP("questions about one picture in one session; 0 is any number")),
    INT("vision.cacheBytes", cache_bytes, 0, 1 * GIB, 64 * MIB, HELP("room on disk for answers that need not be asked for again; 0 keeps none")),
    USD("budget.usdPerSession", usd_per_session, HELP("dollars after which a session asks no more")),
    USD("budget.usdPerDay", usd_per_day, HELP("dollars after which nothing more is asked on a day (UTC)")),
    STRING("telemetry.file", telemetry_file, HELP("file for one line of JSON about each question: figures and model names only")),
    FORM("retention.policy", retention_policy, policies, "auto",
         HELP("which earlier pictures a lowered request still carries: auto (while that is cheaper), all, or turns:N (of the last N turns)")),
    FORM("record.store", record_store, stores, "sqlite:",
         HELP("where sessions are kept: sqlite: (record.db in $XDG_STATE_HOME/fovea), sqlite:/abs/file.db, or postgresql://...")),
    INT("record.maxAttachmentBytes", record_max_attachment_bytes, 1, LIMIT_BLOB_BYTES, 20 * MIB,
        HELP("most bytes of one picture or document that is taken into a session")),
    {.path = "providers", .type = CONFIG_ANY},
};
const size_t config_keys_count = COUNT(config_keys);

static void describe_default(const struct config_key *k, char *out, size_t room)
{
    if (k->type == CONFIG_BOOL)
        (void)snprintf(out, room, "%s", k->number ? "true" : "false");
    else if (k->type == CONFIG_INT)
        (void)snprintf(out, room, "%lld", (long long)k->number);
    else
        (void)snprintf(out, room, k->type == CONFIG_STRING ? "%s" : "[\"%s\"]", k->text ? k->text : "");
}

int fovea_setting(size_t index, struct fovea_setting *ret)
{
    for (size_t i = 0; i < config_keys_count; i++) {
        const struct config_key *k = &config_keys[i];
        if (!k->help || index--)
            continue;
        *ret = (struct fovea_setting){.key = k->path, .help = k->help};
        describe_default(k, ret->preset, sizeof ret->preset);
        return 0;
    }
    return -ENOENT;
}

static bool under(const char *path, const char *top)
{
    size_t len = strlen(top);
    return !strncmp(path, top, len) && path[len] == '.' && path[len + 1];
}

const struct config_key *config_key_find(const char *path)
{
    for (size_t i = 0; i < config_keys_count; i++) {
        const struct config_key *k = &config_keys[i];
        if (!strcmp(k->path, path) || (k->type == CONFIG_ANY && under(path, k->path)))
            return k;
    }
    return NULL;
}

bool config_key_is_section(const char *path)
{
    for (size_t i = 0; i < config_keys_count; i++)
        if (under(config_keys[i].path, path))
            return true;
    return false;
}

/* A key without its section ("maxBytes") is nearest to the first row that ends so, unless one without a section is as near. */
static unsigned distance_to_row(const char *path, const char *row, size_t len)
{
    const char *tail = strrchr(row, '.');
    if (!row[len] && tail && !strcasecmp(tail + 1, path))
        return nearest_distance(path, tail + 1, strlen(tail + 1)) + 1;
    return nearest_distance(path, row, len);
}

void config_key_nearest(const char *path, char ret[static LIMIT_CONFIG_KEY])
{
    unsigned best = UINT32_MAX;
    for (size_t i = 0; i < config_keys_count; i++) {
        const char *row = config_keys[i].path, *end = row;
        do { /* the row's sections, then the row */
            end = strchrnul(end + 1, '.');
            unsigned d = distance_to_row(path, row, (size_t)(end - row));
            if (d < best) {
                best = d;
                (void)snprintf(ret, LIMIT_CONFIG_KEY, "%.*s", (int)(end - row), row);
            }
        } while (*end);
    }
    for (size_t i = 0; provider_keys[i]; i++) /* what is said of a host may stand where no host is named */
        if (!strcasecmp(path, provider_keys[i]) && best >= NEAREST_EDIT)
            (void)snprintf(ret, LIMIT_CONFIG_KEY, "providers.NAME.%s", provider_keys[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The models that ship, made from data/models.tsv when the library is built, and the hosts that fovea knows by name. The
 * order of hosts is the order in which one is picked when nobody chose.
 */
#include "model/table.h"

#include "base/cleanup.h"

const struct model model_table[] = {
#include "models.inc"
    {"local", "ocr", MODEL_VISION, 0, 0, 0, 1, {0}, {{0}}, "runs on this machine", "fovea", "fovea: text recognition only"},
};
const size_t model_table_count = COUNT(model_table);

#define CHAT "openai-chat"
const char *const provider_wires[] = {"anthropic", CHAT, "openai-responses", "gemini", NULL};

#define HOST(title, how, url, ...) {.name = (title), .wire = (how), .base_url = (url), __VA_ARGS__}
const struct provider provider_table[] = {
    HOST("anthropic", "anthropic", "https://api.anthropic.com", .usual_env = "ANTHROPIC_API_KEY",
         .preferred = "claude-sonnet-4-6", .plain_ids = true),
    HOST("openai", "openai-responses", "https://api.openai.com/v1", .usual_env = "OPENAI_API_KEY",
         .preferred = "gpt-5-mini", .plain_ids = true),
    HOST("google", "gemini", "https://generativelanguage.googleapis.com/v1beta", .usual_env = "GEMINI_API_KEY",
         .preferred = "gemini-2.5-flash", .plain_ids = true),
    HOST("openrouter", CHAT, "https://openrouter.ai/api/v1", .usual_env = "OPENROUTER_API_KEY",
         .preferred = "anthropic/claude-sonnet-4.6"),
    HOST("nous", CHAT, "https://inference-api.nousresearch.com/v1", .usual_env = "NOUS_API_KEY"),
    /* Servers on this machine ask for no key; whether one runs is not known here, so none is picked unasked. */
    HOST("ollama", CHAT, "http://127.0.0.1:11434/v1", .auth_none = true, .no_webp = true, .no_result_images = true),
    HOST("llama.cpp", CHAT, "http://127.0.0.1:8080/v1", .auth_none = true, .no_webp = true, .no_result_images = true),
    HOST("vllm", CHAT, "http://127.0.0.1:8000/v1", .auth_none = true, .no_result_images = true),
    HOST("lm-studio", CHAT, "http://127.0.0.1:1234/v1", .auth_none = true, .no_webp = true, .no_result_images = true),
    HOST("local", NULL, NULL, .auth_none = true, .preferred = "ocr"),
};
const size_t provider_table_count = COUNT(provider_table);

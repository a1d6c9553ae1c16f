/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what hosts say of their models: see discover.h. Each vendor has its own words for the same few facts, so there
 * is a table of words for each fact, and no vendor is told from another. */
#include "provider/discover.h"

#include "provider/wire_priv.h"

void discover_list_done(struct discover_list *l)
{
    if (!l)
        return;
    free(l->rows);
    *l = (struct discover_list){0};
}

/* What a word says that a model takes. */
static const struct {
    const char *word;
    size_t flag;
} words[] = {
    {"image", offsetof(struct discovered, vision)}, {"vision", offsetof(struct discovered, vision)},
    {"pdf", offsetof(struct discovered, pdf)},      {"file", offsetof(struct discovered, pdf)},
    {"video", offsetof(struct discovered, video)},
};

static bool *flag_of(struct discovered *row, const char *word)
{
    for (size_t i = 0; word && i < COUNT(words); i++)
        if (!strcmp(words[i].word, word))
            return (bool *)((char *)row + words[i].flag);
    return NULL;
}

/* ["text","image"]: a list that is there tells all. */
static void take_list(struct discovered *row, const json_t *list)
{
    size_t i;
    const json_t *item;
    row->told |= json_is_array(list);
    json_array_foreach(list, i, item) {
        bool *flag = flag_of(row, json_string_value(item));
        if (flag)
            *flag = true;
    }
}

/* {"vision":true,"audio":false}: tells what it names. */
static void take_flags(struct discovered *row, const json_t *object)
{
    for (size_t i = 0; i < COUNT(words); i++) {
        const json_t *said = wire_at(object, words[i].word);
        if (!json_is_boolean(said))
            continue;
        bool *flag = flag_of(row, words[i].word);
        *flag |= json_is_true(said);
        row->told |= flag == &row->vision;
    }
}

/* LM Studio's kinds. */
static void take_type(struct discovered *row, const char *type)
{
    row->vision |= type && !strcmp(type, "vlm");
    row->told |= type && (!strcmp(type, "vlm") || !strcmp(type, "llm") || !strcmp(type, "embeddings"));
}

/* A number of tokens that can be true; else 0. */
static int64_t tokens(int64_t n)
{
    return n > 0 && n <= LIMIT_DISCOVER_TOKENS ? n : 0;
}

static int64_t context_of(const json_t *item)
{
    /* What is loaded says more than what could be. */
    static const char *const names[] = {"loaded_context_length", "context_length", "max_model_len", "max_context_length",
                                        "context_window",        "n_ctx",          "n_ctx_train"};
    const json_t *places[] = {item, wire_at(item, "meta")};
    for (size_t p = 0; p < COUNT(places); p++)
        for (size_t i = 0; i < COUNT(names); i++)
            if (tokens(wire_int_at(places[p], names[i])))
                return wire_int_at(places[p], names[i]);
    return 0;
}

static void take_item(struct discovered *row, const json_t *item)
{
    const json_t *can = wire_at(item, "capabilities");
    take_list(row, wire_at(wire_at(item, "architecture"), "input_modalities"));
    take_list(row, wire_at(item, "input_modalities"));
    take_flags(row, can);
    take_flags(row, wire_at(item, "modalities"));
    take_type(row, wire_text_at(item, "type"));
    /* Such a list names what people choose a model for, and may leave out the rest. */
    struct discovered named = {0};
    take_list(&named, can);
    row->vision |= named.vision;
    row->told |= named.vision;
    row->context = context_of(item);
}

/* An id goes into requests, files and terminals. */
static bool take_id(struct discovered *row, const json_t *id)
{
    const char *s = json_string_value(id);
    size_t len = json_string_length(id);
    if (!s || !len || len >= sizeof row->id)
        return false;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)s[i] <= ' ' || (unsigned char)s[i] >= 0x7f)
            return false;
    memcpy(row->id, s, len + 1);
    return true;
}

static bool has(const struct discover_list *l, const char *id)
{
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->rows[i].id, id))
            return true;
    return false;
}

int discover_read_list(const char *body, size_t len, struct discover_list *ret)
{
    auto_json *root = wire_parse(body, len);
    const json_t *all = wire_at(root, "data"), *item;
    struct discover_list l = {0};
    size_t i;
    if (!json_is_array(all))
        return wire_unread(root);
    size_t most = MIN(json_array_size(all), (size_t)LIMIT_DISCOVER_MODELS);
    if (most && !(l.rows = calloc(most, sizeof *l.rows)))
        return -ENOMEM;
    json_array_foreach(all, i, item) {
        struct discovered row = {0};
        if (l.n == most)
            break;
        if (!take_id(&row, wire_at(item, "id")) || has(&l, row.id))
            continue;
        take_item(&row, item);
        l.rows[l.n++] = row;
    }
    *ret = l;
    return 0;
}

/* "gemma3.context_length": the architecture stands before it. */
static int64_t info_context(const json_t *info)
{
    static const char end[] = ".context_length";
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)info, key, value) {
        size_t n = strlen(key);
        if (n > strlen(end) && !strcmp(key + n - strlen(end), end) && tokens(json_integer_value(value)))
            return json_integer_value(value);
    }
    return 0;
}

int discover_read_show(const char *body, size_t len, struct discovered *row)
{
    auto_json *root = wire_parse(body, len);
    const json_t *can = wire_at(root, "capabilities");
    if (!json_is_array(can))
        return wire_unread(root);
    take_list(row, can);
    int64_t context = info_context(wire_at(root, "model_info"));
    row->context = context ? context : row->context;
    return 0;
}

int discover_read_props(const char *body, size_t len, struct discovered *row)
{
    auto_json *root = wire_parse(body, len);
    const json_t *modalities = wire_at(root, "modalities");
    if (!json_is_object(modalities))
        return wire_unread(root);
    take_flags(row, modalities);
    int64_t context = tokens(wire_int_at(wire_at(root, "default_generation_settings"), "n_ctx"));
    row->context = context ? context : row->context;
    return 0;
}

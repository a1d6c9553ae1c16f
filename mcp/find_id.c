/* SPDX-License-Identifier: Apache-2.0 */
/* Finding an id: see find_id.h. One character after the other, so that a piece may end anywhere. */
#include "base/json_read.h"
#include "find_id.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void keep(struct id_finder *f, char c)
{
    if (f->n_value < sizeof f->value)
        f->value[f->n_value] = c;
    f->n_value++;
}

static void end_of_value(struct id_finder *f)
{
    f->taking = false;
    f->found = f->n_value && f->n_value <= sizeof f->value;
}

static void end_of_string(struct id_finder *f)
{
    f->in_string = false;
    if (f->taking)
        end_of_value(f);
}

static void take_in_string(struct id_finder *f, char c)
{
    bool ends = c == '"' && !f->escaped;
    f->escaped = c == '\\' && !f->escaped;
    if (f->taking)
        keep(f, c);
    else if (f->key && !ends && f->n_name++ < sizeof f->name)
        f->name[f->n_name - 1] = c;
    if (ends)
        end_of_string(f);
}

/* What stands before the id's value, in it if it is a number, or behind that: then the value is another one, unless it may
 * end so. */
static void take_value(struct id_finder *f, char c)
{
    bool digit = c && strchr("-0123456789", c), begins = c == '"' && !f->n_value;
    if (digit || begins)
        keep(f, c);
    else if (!is_blank(c) && c != ',' && c != '}')
        f->taking = false;
    else if (f->n_value || !is_blank(c))
        end_of_value(f);
}

static void take_key_end(struct id_finder *f)
{
    f->taking = f->key && f->n_name == 2 && !memcmp(f->name, "id", 2);
    f->key = false;
    f->n_name = f->n_value = 0;
}

static void take_char(struct id_finder *f, char c)
{
    if (f->in_string) {
        take_in_string(f, c);
        return;
    }
    if (f->taking)
        take_value(f, c);
    if (c == '"') {
        f->in_string = true;
    } else if (c == '{' || c == '[') {
        if (!f->depth++)
            f->object = f->key = c == '{';
        else
            f->key = false;
    } else if (c == '}' || c == ']') {
        f->depth -= f->depth > 0;
    } else if (c == ',') {
        f->key = f->object && f->depth == 1;
        f->n_name = 0;
    } else if (c == ':' && f->depth == 1) {
        take_key_end(f);
    }
}

void id_finder_take(struct id_finder *f, const char *text, size_t len)
{
    for (size_t i = 0; i < len && !f->found; i++)
        take_char(f, text[i]);
}

bool id_fits(const json_t *id)
{
    return json_is_integer(id) || (json_is_string(id) && json_string_length(id) <= LIMIT_MCP_ID);
}

json_t *id_finder_id(const struct id_finder *f)
{
    json_t *id = f->found ? json_read(f->value, f->n_value, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL) : NULL;
    if (id && !id_fits(id)) {
        json_decref(id);
        id = NULL;
    }
    return id;
}

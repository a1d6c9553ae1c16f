/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the room. A document becomes nodes (one per schema object), a node becomes rules (one per keyword that can
 * fail), and a check runs rules over a value. All of a schema's memory is one list of blocks, freed together.
 */
#ifndef FOVEA_SCHEMA_PRIV_H
#define FOVEA_SCHEMA_PRIV_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "schema/schema.h"

enum vocabulary {
    VOCAB_CORE = 1,
    VOCAB_APPLICATOR = 2,
    VOCAB_UNEVALUATED = 4,
    VOCAB_VALIDATION = 8,
    VOCAB_META = 16,
    VOCAB_FORMAT = 32,
    VOCAB_FORMAT_ASSERT = 64,
    VOCAB_CONTENT = 128,
    VOCAB_DEFAULT = 255 & ~VOCAB_FORMAT_ASSERT,
};

/* Where a keyword holds schemas. */
enum shape { SHAPE_NONE, SHAPE_ONE, SHAPE_LIST, SHAPE_MAP, SHAPE_MIXED /* a map of schemas and of lists of names */ };

struct check;
struct frame;
struct maker;
struct node;
struct pattern;
struct rule;

struct keyword {
    const char *name;
    unsigned vocabulary; /* any of these makes it known */
    enum shape shape;
    int (*compile)(struct maker *m, struct node *n, struct rule *r); /* judges the value and fills the rule */
    int (*check)(struct check *c, const struct frame *f, const struct rule *r); /* 0, 1, or below 0; NULL: cannot fail */
};
extern const struct keyword keywords[];
extern const size_t keywords_count;

struct rule {
    const struct keyword *keyword;
    const json_t *value;                          /* borrowed from the document */
    const struct node *node, *then, *otherwise;   /* what it applies */
    const struct node **nodes;                    /* SHAPE_LIST */
    struct pattern **patterns;                    /* of its own, or of the patternProperties beside it */
    const json_t *beside;                         /* the properties beside it */
    const char *anchor;                           /* $dynamicRef: looked for in the dynamic scope */
    bool (*format)(const char *s, size_t len);
    uint64_t low, high;
    size_t count; /* of nodes or patterns */
};

struct anchor {
    const char *name;
    bool dynamic;
    const struct node *node;
    struct anchor *next;
};

struct resource {
    const char *uri;   /* absolute where the document says so, else relative or "" */
    const char *alias; /* what it was asked for by, or NULL */
    const struct node *root;
    struct anchor *anchors;
    unsigned vocabulary;
    struct resource *next;
};

struct node {
    const json_t *json;
    struct resource *resource;
    const struct node *parent; /* the place, for words: parent, keyword, and key or index; without keyword key is all */
    const char *keyword, *key;
    size_t index;
    struct rule *rules;
    size_t count;
    bool tracks; /* needs to know what its siblings have evaluated */
};

struct block;
struct document {
    json_t *json;
    struct document *next;
};
struct schema {
    struct block *blocks;
    struct document *documents;
    struct pattern *patterns; /* all of them, to be freed */
    struct resource *resources;
    struct node yes, no; /* boolean schemas have no place of their own */
    const struct node *root;
    struct node **table; /* open addressing, by the address of the JSON object */
    size_t table_size;
    struct node **nodes;
    size_t count, room;
};

/* ---- making (make.c, walk.c, refs.c, compile.c) */

struct maker {
    struct schema *schema;
    const struct schema_options *options;
    struct fovea_fault *fault;
    size_t values; /* of all documents */
    size_t names;  /* $id, $anchor, $dynamicAnchor and documents */
    size_t patterns;
};

void *schema_alloc(struct maker *m, size_t count, size_t size); /* zeroed, freed with the schema; NULL sets the fault */
char *schema_text(struct maker *m, const char *s, size_t len);

/* Makes nodes of a bounded copy of the document. */
int walk_document(struct maker *m, const json_t *json, const char *uri, struct resource **ret);
int walk_node(struct maker *m, const json_t *json, struct resource *in, const struct node *place, struct node **ret);
struct node *node_find(const struct schema *s, const json_t *json);
const struct anchor *anchor_find(const struct resource *r, const char *name);

/* What a reference leads to; ret_dynamic is the name when it was a dynamic anchor. */
int ref_resolve(struct maker *m, const struct node *at, const char *keyword, const char *ref, const struct node **ret,
                const char **ret_dynamic);
/* The vocabulary that $schema asks for. */
int vocabulary_of(struct maker *m, const struct node *at, const char *uri, unsigned *ret);

/* The fault of a wrong schema: keyword at the place of n, then the words. */
__attribute__((format(printf, 4, 5))) int schema_wrong(struct maker *m, const struct node *n, const char *keyword,
                                                       const char *format, ...);
int node_compile(struct maker *m, struct node *n);

/* The text of one of the draft's own meta-schemas (meta.c), or NULL. */
const char *meta_schema(const char *uri);
#define META_URI "https://json-schema.org/draft/2020-12/"

/* ---- helpers without state */

/* What a hexadecimal digit is worth; -1: it is none. */
static inline int hex_digit(char c)
{
    char low = (char)(c | 0x20);
    return c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* RFC 3986 section 5.2; the result is the caller's. -ENOMEM, or -EFBIG when too long. */
int uri_resolve(const char *base, const char *ref, char **ret);
/* Whether s is a URI (or, relative, a reference); unicode lets in what an IRI may have. */
bool uri_valid(const char *s, size_t len, bool relative, bool unicode);

int number_compare(const json_t *a, const json_t *b);        /* exactly, integers against reals too */
bool number_is_integer(const json_t *v);
bool number_multiple(const json_t *v, const json_t *divisor); /* in decimal, as it was written */

typedef bool format_fn(const char *s, size_t len);
/* NULL for one that is not known; ret_cost is in steps, beside those for its length. */
format_fn *format_find(const char *name, uint64_t *ret_cost);
bool format_date_time(const char *s, size_t len);
bool format_date(const char *s, size_t len);
bool format_time(const char *s, size_t len);
bool format_duration(const char *s, size_t len);
bool format_ipv4(const char *s, size_t len);
bool format_ipv6(const char *s, size_t len);
bool format_uri_template(const char *s, size_t len);

/* ECMA-262 to PCRE2. -EINVAL and words. ret_stride: how many characters one item of the pattern may look at before it
 * fails, beyond those it takes. */
int ecma_translate(const char *pattern, size_t len, struct buf *out, const char **ret_words, size_t *ret_stride);

/* A compiled regular expression. -EINVAL and words, or -ENOMEM. */
int pattern_new(const char *pattern, size_t len, struct pattern **ret, char words[128]);
void pattern_free(struct pattern *p);
struct pattern *pattern_next_free(struct pattern *p); /* of a list: frees one, returns the next */
/* For making: kept and freed with the schema. */
int pattern_keep(struct maker *m, const struct node *n, const char *keyword, const char *s, size_t len,
                 struct pattern **ret);

/* ---- checking (check.c) */

struct matcher; /* what PCRE2 needs for one check */
struct check {
    const struct schema *schema;
    struct schema_error *error;
    struct matcher *matcher;
    uint64_t steps; /* still allowed */
    unsigned depth;
    unsigned quiet; /* inside something that may fail without harm */
    bool no_memory; /* for the words of an error */
};

/* Where in the instance; key NULL is an index. */
struct place {
    const struct place *up;
    const char *key;
    size_t len;
    size_t index;
};

struct scope {
    const struct scope *up;
    const struct resource *resource;
};

struct frame {
    const struct node *node;
    const json_t *value;
    const struct place *place;
    const struct scope *scope;
    uint8_t *marks; /* one per item or member: evaluated; NULL when nobody asks */
};

/* Counts steps; -E2BIG when there are none left. */
int check_steps(struct check *c, uint64_t steps);
/* Writes the first error; returns 1. */
__attribute__((format(printf, 4, 5))) int check_fail(struct check *c, const struct frame *f, const char *keyword,
                                                     const char *format, ...);
/* Applies a node to the same value. Apart: in its own right, marks are kept only if it is valid, no error is written. */
int apply(struct check *c, const struct frame *f, const struct rule *r, const struct node *n);
int apply_apart(struct check *c, const struct frame *f, const struct rule *r, const struct node *n);
int apply_member(struct check *c, const struct frame *f, const struct rule *r, const struct node *n, const char *key,
                 size_t len, const json_t *value);
int apply_item(struct check *c, const struct frame *f, const struct rule *r, const struct node *n, size_t index);

int pattern_match(struct check *c, const struct pattern *p, const char *s, size_t len); /* 1, 0, or below 0 */
void matcher_free(struct matcher *m);

int values_equal(struct check *c, const json_t *a, const json_t *b); /* 1, 0, or below 0 */
/* Whether all differ: 1, or 0 and two that are equal, or below 0. */
int values_unique(struct check *c, const json_t *array, size_t ret_pair[2]);

/* A name or a piece of JSON as it may stand in words: cut, without anything that acts. */
struct shown {
    char text[200];
};
struct shown show(struct check *c, const char *s);

/* The checks and compilers that keywords.c lists. */
#define CHECKS(X)                                                                                                   \
    X(type) X(enum) X(const) X(multiple_of) X(maximum) X(exclusive_maximum) X(minimum) X(exclusive_minimum)         \
    X(max_length) X(min_length) X(pattern) X(format) X(max_items) X(min_items) X(unique_items) X(contains)          \
    X(prefix_items) X(items) X(unevaluated_items) X(max_properties) X(min_properties) X(required) X(dependent)      \
    X(properties) X(pattern_properties) X(additional_properties) X(property_names) X(unevaluated_properties)        \
    X(ref) X(dynamic_ref) X(all_of) X(any_of) X(one_of) X(not) X(if)
#define X(name) int check_##name(struct check *c, const struct frame *f, const struct rule *r);
CHECKS(X)
#undef X

#define COMPILERS(X)                                                                                                \
    X(string) X(bool) X(number) X(divisor) X(count) X(list) X(names) X(type) X(pattern) X(format) X(ref)     \
    X(dynamic_ref) X(schemas) X(pattern_properties) X(additional) X(unevaluated) X(items) X(contains) X(if)         \
    X(name_lists) X(vocabularies)
#define X(name) int compile_##name(struct maker *m, struct node *n, struct rule *r);
COMPILERS(X)
#undef X

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keywords of draft 2020-12, one row each. The order is that of the check: what is cheap and says most comes first,
 * and the two that depend on what all others have evaluated come last.
 */
#include "schema/schema_priv.h"

const struct keyword keywords[] = {
    /* core; $id, $anchor and $schema did their work when the document was walked */
    {"$id", VOCAB_CORE, SHAPE_NONE, compile_string, NULL},
    {"$schema", VOCAB_CORE, SHAPE_NONE, compile_string, NULL},
    {"$anchor", VOCAB_CORE, SHAPE_NONE, compile_string, NULL},
    {"$dynamicAnchor", VOCAB_CORE, SHAPE_NONE, compile_string, NULL},
    {"$comment", VOCAB_CORE, SHAPE_NONE, compile_string, NULL},
    {"$vocabulary", VOCAB_CORE, SHAPE_NONE, compile_vocabularies, NULL},
    {"$defs", VOCAB_CORE, SHAPE_MAP, compile_schemas, NULL},
    {"$ref", VOCAB_CORE, SHAPE_NONE, compile_ref, check_ref},
    {"$dynamicRef", VOCAB_CORE, SHAPE_NONE, compile_dynamic_ref, check_dynamic_ref},

    /* validation */
    {"type", VOCAB_VALIDATION, SHAPE_NONE, compile_type, check_type},
    {"const", VOCAB_VALIDATION, SHAPE_NONE, NULL, check_const},
    {"enum", VOCAB_VALIDATION, SHAPE_NONE, compile_list, check_enum},
    {"multipleOf", VOCAB_VALIDATION, SHAPE_NONE, compile_divisor, check_multiple_of},
    {"maximum", VOCAB_VALIDATION, SHAPE_NONE, compile_number, check_maximum},
    {"exclusiveMaximum", VOCAB_VALIDATION, SHAPE_NONE, compile_number, check_exclusive_maximum},
    {"minimum", VOCAB_VALIDATION, SHAPE_NONE, compile_number, check_minimum},
    {"exclusiveMinimum", VOCAB_VALIDATION, SHAPE_NONE, compile_number, check_exclusive_minimum},
    {"maxLength", VOCAB_VALIDATION, SHAPE_NONE, compile_count, check_max_length},
    {"minLength", VOCAB_VALIDATION, SHAPE_NONE, compile_count, check_min_length},
    {"pattern", VOCAB_VALIDATION, SHAPE_NONE, compile_pattern, check_pattern},
    {"format", VOCAB_FORMAT | VOCAB_FORMAT_ASSERT, SHAPE_NONE, compile_format, check_format},
    {"maxItems", VOCAB_VALIDATION, SHAPE_NONE, compile_count, check_max_items},
    {"minItems", VOCAB_VALIDATION, SHAPE_NONE, compile_count, check_min_items},
    {"uniqueItems", VOCAB_VALIDATION, SHAPE_NONE, compile_bool, check_unique_items},
    {"maxContains", VOCAB_VALIDATION, SHAPE_NONE, compile_count, NULL},
    {"minContains", VOCAB_VALIDATION, SHAPE_NONE, compile_count, NULL},
    {"maxProperties", VOCAB_VALIDATION, SHAPE_NONE, compile_count, check_max_properties},
    {"minProperties", VOCAB_VALIDATION, SHAPE_NONE, compile_count, check_min_properties},
    {"required", VOCAB_VALIDATION, SHAPE_NONE, compile_names, check_required},
    {"dependentRequired", VOCAB_VALIDATION, SHAPE_NONE, compile_name_lists, check_dependent},

    /* applicators */
    {"properties", VOCAB_APPLICATOR, SHAPE_MAP, compile_schemas, check_properties},
    {"patternProperties", VOCAB_APPLICATOR, SHAPE_MAP, compile_pattern_properties, check_pattern_properties},
    {"additionalProperties", VOCAB_APPLICATOR, SHAPE_ONE, compile_additional, check_additional_properties},
    {"propertyNames", VOCAB_APPLICATOR, SHAPE_ONE, compile_schemas, check_property_names},
    {"prefixItems", VOCAB_APPLICATOR, SHAPE_LIST, compile_schemas, check_prefix_items},
    {"items", VOCAB_APPLICATOR, SHAPE_ONE, compile_items, check_items},
    {"contains", VOCAB_APPLICATOR, SHAPE_ONE, compile_contains, check_contains},
    {"allOf", VOCAB_APPLICATOR, SHAPE_LIST, compile_schemas, check_all_of},
    {"anyOf", VOCAB_APPLICATOR, SHAPE_LIST, compile_schemas, check_any_of},
    {"oneOf", VOCAB_APPLICATOR, SHAPE_LIST, compile_schemas, check_one_of},
    {"not", VOCAB_APPLICATOR, SHAPE_ONE, compile_schemas, check_not},
    {"if", VOCAB_APPLICATOR, SHAPE_ONE, compile_if, check_if},
    {"then", VOCAB_APPLICATOR, SHAPE_ONE, compile_schemas, NULL},
    {"else", VOCAB_APPLICATOR, SHAPE_ONE, compile_schemas, NULL},
    {"dependentSchemas", VOCAB_APPLICATOR, SHAPE_MAP, compile_schemas, check_dependent},
    {"dependencies", VOCAB_APPLICATOR, SHAPE_MIXED, compile_name_lists, check_dependent}, /* of older drafts */

    /* annotations, judged only in form */
    {"title", VOCAB_META, SHAPE_NONE, compile_string, NULL},
    {"description", VOCAB_META, SHAPE_NONE, compile_string, NULL},
    {"deprecated", VOCAB_META, SHAPE_NONE, compile_bool, NULL},
    {"readOnly", VOCAB_META, SHAPE_NONE, compile_bool, NULL},
    {"writeOnly", VOCAB_META, SHAPE_NONE, compile_bool, NULL},
    {"examples", VOCAB_META, SHAPE_NONE, compile_list, NULL},
    {"contentEncoding", VOCAB_CONTENT, SHAPE_NONE, compile_string, NULL},
    {"contentMediaType", VOCAB_CONTENT, SHAPE_NONE, compile_string, NULL},
    {"contentSchema", VOCAB_CONTENT, SHAPE_ONE, compile_schemas, NULL},

    /* last: they need to know what the others have evaluated */
    {"unevaluatedItems", VOCAB_UNEVALUATED, SHAPE_ONE, compile_unevaluated, check_unevaluated_items},
    {"unevaluatedProperties", VOCAB_UNEVALUATED, SHAPE_ONE, compile_unevaluated, check_unevaluated_properties},
};
const size_t keywords_count = COUNT(keywords);

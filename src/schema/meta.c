/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The draft's meta-schemas under their public names, for schemas that refer to them. Written from what the
 * specification says of each keyword's value, one vocabulary at a time; the dynamic anchor "meta" joins them, so that a
 * meta-schema of somebody's own may extend them. They are read only when a schema asks for one.
 */
#include <string.h>

#include "schema/schema_priv.h"

#undef true /* the word itself is wanted */

#define JSON(...) #__VA_ARGS__
#define SELF { "$dynamicRef": "#meta" }
#define EACH { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } }
#define SOME { "type": "array", "minItems": 1, "items": { "$dynamicRef": "#meta" } }
#define COUNTED { "type": "integer", "minimum": 0 }
#define NAMES { "type": "array", "items": { "type": "string" }, "uniqueItems": true }
#define TEXT { "type": "string" }
#define FLAG { "type": "boolean" }
#define NUMBER { "type": "number" }
#define PLAIN_NAME { "type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$" }
/* expands the macros above before JSON makes text of them */
#define VOCABULARY(name, ...)                                                                                        \
    JSON({ "$id": name, "$dynamicAnchor": "meta",                      \
           "type": ["object", "boolean"], "properties": { __VA_ARGS__ } })

static const struct {
    const char *uri, *text;
} metas[] = {
    {META_URI "schema",
     JSON({
         "$id": "https://json-schema.org/draft/2020-12/schema",
         "$schema": "https://json-schema.org/draft/2020-12/schema",
         "$vocabulary": {
             "https://json-schema.org/draft/2020-12/vocab/core": true,
             "https://json-schema.org/draft/2020-12/vocab/applicator": true,
             "https://json-schema.org/draft/2020-12/vocab/unevaluated": true,
             "https://json-schema.org/draft/2020-12/vocab/validation": true,
             "https://json-schema.org/draft/2020-12/vocab/meta-data": true,
             "https://json-schema.org/draft/2020-12/vocab/format-annotation": true,
             "https://json-schema.org/draft/2020-12/vocab/content": true
         },
         "$dynamicAnchor": "meta",
         "type": ["object", "boolean"],
         "allOf": [
             { "$ref": "meta/core" },
             { "$ref": "meta/applicator" },
             { "$ref": "meta/unevaluated" },
             { "$ref": "meta/validation" },
             { "$ref": "meta/meta-data" },
             { "$ref": "meta/format-annotation" },
             { "$ref": "meta/content" }
         ],
         "properties": {
             "definitions": { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } },
             "dependencies": {
                 "type": "object",
                 "additionalProperties": {
                     "if": { "type": "array" },
                     "then": { "items": { "type": "string" }, "uniqueItems": true },
                     "else": { "$dynamicRef": "#meta" }
                 }
             }
         }
     })},
    {META_URI "meta/core",
     VOCABULARY("https://json-schema.org/draft/2020-12/meta/core",
         "$id": { "type": "string", "format": "uri-reference", "pattern": "^[^#]*#?$" },
         "$schema": { "type": "string", "format": "uri" },
         "$ref": { "type": "string", "format": "uri-reference" },
         "$anchor": PLAIN_NAME,
         "$dynamicRef": { "type": "string", "format": "uri-reference" },
         "$dynamicAnchor": PLAIN_NAME,
         "$vocabulary": {
             "type": "object",
             "propertyNames": { "type": "string", "format": "uri" },
             "additionalProperties": FLAG
         },
         "$comment": TEXT,
         "$defs": EACH)},
    {META_URI "meta/applicator",
     VOCABULARY("https://json-schema.org/draft/2020-12/meta/applicator",
         "prefixItems": SOME,
         "items": SELF,
         "contains": SELF,
         "properties": EACH,
         "patternProperties": {
             "type": "object",
             "propertyNames": { "format": "regex" },
             "additionalProperties": SELF
         },
         "additionalProperties": SELF,
         "propertyNames": SELF,
         "dependentSchemas": EACH,
         "if": SELF,
         "then": SELF,
         "else": SELF,
         "allOf": SOME,
         "anyOf": SOME,
         "oneOf": SOME,
         "not": SELF)},
    {META_URI "meta/unevaluated", VOCABULARY("https://json-schema.org/draft/2020-12/meta/unevaluated", "unevaluatedItems": SELF, "unevaluatedProperties": SELF)},
    {META_URI "meta/validation",
     VOCABULARY("https://json-schema.org/draft/2020-12/meta/validation",
         "type": {
             "anyOf": [
                 { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
                 {
                     "type": "array",
                     "items": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
                     "minItems": 1,
                     "uniqueItems": true
                 }
             ]
         },
         "const": true,
         "enum": { "type": "array" },
         "multipleOf": { "type": "number", "exclusiveMinimum": 0 },
         "maximum": NUMBER,
         "exclusiveMaximum": NUMBER,
         "minimum": NUMBER,
         "exclusiveMinimum": NUMBER,
         "maxLength": COUNTED,
         "minLength": COUNTED,
         "pattern": { "type": "string", "format": "regex" },
         "maxItems": COUNTED,
         "minItems": COUNTED,
         "uniqueItems": FLAG,
         "maxContains": COUNTED,
         "minContains": COUNTED,
         "maxProperties": COUNTED,
         "minProperties": COUNTED,
         "required": NAMES,
         "dependentRequired": { "type": "object", "additionalProperties": NAMES })},
    {META_URI "meta/meta-data",
     VOCABULARY("https://json-schema.org/draft/2020-12/meta/meta-data", "title": TEXT, "description": TEXT, "default": true, "deprecated": FLAG, "readOnly": FLAG,
                "writeOnly": FLAG, "examples": { "type": "array" })},
    {META_URI "meta/format-annotation", VOCABULARY("https://json-schema.org/draft/2020-12/meta/format-annotation", "format": TEXT)},
    {META_URI "meta/format-assertion", VOCABULARY("https://json-schema.org/draft/2020-12/meta/format-assertion", "format": TEXT)},
    {META_URI "meta/content",
     VOCABULARY("https://json-schema.org/draft/2020-12/meta/content", "contentEncoding": TEXT, "contentMediaType": TEXT, "contentSchema": SELF)},
};

const char *meta_schema(const char *uri)
{
    for (size_t i = 0; i < COUNT(metas); i++)
        if (!strcmp(uri, metas[i].uri))
            return metas[i].text;
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* References: see refer.h. Names of one vendor mean nothing to another, and a request that holds one is refused as a whole. */
#include "lower/refer.h"

#include <string.h>
#include <strings.h>

/* What a wire takes by reference instead of by its bytes. */
struct references {
    bool image_url, document_url, image_file, document_file;
};
static const struct references references[LOWER_WIRES] = {
    [LOWER_ANTHROPIC] = {true, true, true, true},
    [LOWER_CHAT] = {true, false, false, true},
    [LOWER_RESPONSES] = {true, true, true, true},
    [LOWER_GEMINI] = {true, true, true, true},
};

static bool starts(struct span s, const char *word)
{
    return s.len >= strlen(word) && strncasecmp(s.at, word, strlen(word)) == 0;
}

static bool holds(struct span s, const char *word)
{
    return s.len && memmem(s.at, s.len, word, strlen(word)) != NULL;
}

static bool url_goes(enum lower_wire wire, struct span url)
{
    struct span in = span_inside(url);
    bool web = starts(in, "https://") || starts(in, "http://"), google = wire == LOWER_GEMINI;
    if (starts(in, "gs://"))
        return google;
    return web && (google || !holds(in, "generativelanguage.googleapis.com"));
}

/* Files belong to a vendor: OpenAI's two wires name the same ones. */
static bool same_vendor(enum lower_wire wire, struct span from)
{
    bool openai = wire == LOWER_CHAT || wire == LOWER_RESPONSES;
    return span_is(from, lower_wire_names[wire]) || (openai && starts(from, "openai-"));
}

/* A block of its own wire is written as it came, and needs no spelling. */
static bool as_it_came(enum lower_wire wire, const struct entry *e, const struct part *p)
{
    return p->raw.len && span_is(span_inside(e->wire), lower_wire_names[wire]);
}

enum refer refer_spelled(enum lower_wire wire, const struct entry *e, const struct part *p)
{
    const struct references *takes = &references[wire];
    bool raw = as_it_came(wire, e, p), image = p->type == PART_IMAGE;
    if (p->url.len && (raw || (image ? takes->image_url : takes->document_url)))
        return REFER_URL;
    if (p->file_id.len && (raw || (image ? takes->image_file : takes->document_file)))
        return REFER_FILE;
    return REFER_NONE;
}

enum refer refer_by(enum lower_wire wire, const struct entry *e, const struct part *p)
{
    struct part named = *p;
    if (!url_goes(wire, p->url))
        named.url = (struct span){0};
    if (!same_vendor(wire, span_inside(e->wire)))
        named.file_id = (struct span){0};
    return refer_spelled(wire, e, &named);
}

bool refer_is_text(const struct part *p)
{
    return starts(span_inside(p->media_type), "text/");
}

bool refer_document(enum lower_wire wire, const struct part *p)
{
    return span_is(span_inside(p->media_type), "application/pdf") || (wire != LOWER_CHAT && refer_is_text(p));
}

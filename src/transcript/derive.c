/* SPDX-License-Identifier: Apache-2.0 */
/* Under which names an entry is found again, and which bytes it needs. */
#include <errno.h>
#include <string.h>

#include "base/index.h"
#include "base/limits.h"
#include "transcript/transcript_priv.h"

/* prefix and the text of a string; what is no string, or too long to be a name, has no mark. */
static int mark(struct record_index *to, const char *prefix, struct span value)
{
    auto_buf name = BUF_INIT(LIMIT_PATH_BYTES + 16);
    if (!span_is_string(value) || span_inside(value).len == 0)
        return 0;
    (void)buf_add_str(&name, prefix);
    int r = span_text(value, &name);
    if (r == -ENOMEM)
        return r;
    return r < 0 ? 0 : to->mark(to, name.data, name.len);
}

/* What a host calls a view is one by its name only: it must not pass for a call, or a file that was read. */
static int mark_view(struct record_index *to, struct span value)
{
    static const char name[] = "\"view:";
    return value.len > sizeof name && !memcmp(value.at, name, sizeof name - 1) ? mark(to, "", value) : 0;
}

static int use_hex(struct record_index *to, struct span value)
{
    struct span hex = span_inside(value);
    uint8_t sha[SHA256_LEN];
    return hex.len == SHA256_HEX_LEN && sha256_unhex(hex.at, sha) ? to->use(to, sha) : 0;
}

static int derive_part(const struct part *p, struct record_index *to)
{
    int r = mark_view(to, p->view);
    if (r == 0 && p->type == PART_TOOL_CALL)
        r = mark(to, "call:", p->id);
    return r == 0 && p->stored ? to->use(to, p->sha256) : r;
}

/* What fovea's own tools gave: a view has an id and a source, a text that was read its path. */
static int derive_result(const struct entry *e, struct record_index *to)
{
    struct span kind = span_inside(span_member(e->result, "kind"));
    int r = use_hex(to, span_member(span_member(e->result, "source"), "sha256"));
    if (r == 0) /* of a comparison: the other one */
        r = use_hex(to, span_member(span_member(e->result, "against"), "sha256"));
    if (r == 0 && span_is(kind, "perception"))
        r = mark_view(to, span_member(e->result, "id"));
    if (r == 0 && span_is(kind, "text"))
        r = mark(to, "read:", span_member(e->result, "path"));
    return r;
}

int entry_derive(const char *body, size_t len, struct record_index *to)
{
    struct entry_room room = {0};
    struct entry e = {0};
    int r = entry_read(body, len, 0, &room, &e);
    if (r == 0 && (e.kind == ENTRY_TOOL_RESULT || e.kind == ENTRY_PERCEPTION))
        r = mark(to, "answer:", e.call);
    if (r == 0)
        r = derive_result(&e, to);
    for (size_t i = 0; r == 0 && i < e.n_parts; i++)
        r = derive_part(&e.parts[i], to);
    entry_room_done(&room);
    return r;
}

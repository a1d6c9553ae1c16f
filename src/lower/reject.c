/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider's refusal, read: what was wrong, and with which block. The answers come as JSON, as JSON inside the text of an SDK, inside
 * another host's JSON, or as bare words, so they are searched for phrases that are known, in lower case and without backslashes.
 * A place counts only where it is written as this wire writes it: a host in between may have numbered its messages anew.
 */
#include <string.h>

#include "base/text.h"
#include "lower/write.h"

struct phrase {
    const char *words, *also; /* also: must be there too, if not NULL */
    enum reject_cause cause;
};

/* The first that is found holds: a picture that does not decode is not made better by being made smaller. */
static const struct phrase phrases[] = {
    {"could not process image", NULL, REJECT_CORRUPT},
    {"could not process pdf", NULL, REJECT_CORRUPT},
    {"does not represent a valid image", NULL, REJECT_CORRUPT},
    {"failed to decode image", NULL, REJECT_CORRUPT},
    {"invalid png image", NULL, REJECT_CORRUPT},
    {"invalid jpeg image", NULL, REJECT_CORRUPT},
    {"image cannot be decoded", NULL, REJECT_CORRUPT},
    {"invalid_base64_image", NULL, REJECT_CORRUPT},
    {"image_parse_error", NULL, REJECT_CORRUPT},
    {"empty_image_file", NULL, REJECT_CORRUPT},
    {"but the image appears to be", NULL, REJECT_CORRUPT},
    {"image does not match the provided media type", NULL, REJECT_CORRUPT},
    {"unable to process input image", NULL, REJECT_CORRUPT},
    {"invalid base64", "image", REJECT_CORRUPT},
    {"image exceeds", NULL, REJECT_TOO_LARGE},
    {"image too large", NULL, REJECT_TOO_LARGE},
    {"image is too large", NULL, REJECT_TOO_LARGE},
    {"image_too_large", NULL, REJECT_TOO_LARGE},
    {"image_file_too_large", NULL, REJECT_TOO_LARGE},
    {"image size exceeds", NULL, REJECT_TOO_LARGE},
    {"total image size is", NULL, REJECT_TOO_LARGE},
    {"total image size", "exceed", REJECT_TOO_LARGE},
    {"image dimensions", "exceed", REJECT_TOO_LARGE},
    {"dimensions exceed max allowed size", NULL, REJECT_TOO_LARGE},
    {"media exceeds", NULL, REJECT_TOO_LARGE},
    {"media too large", NULL, REJECT_TOO_LARGE},
    {"total referenced files bytes are too large", NULL, REJECT_TOO_LARGE},
    {"pdf pages may be provided", NULL, REJECT_TOO_LARGE},
    {"request_too_large", NULL, REJECT_TOO_LARGE},
    {"request entity too large", NULL, REJECT_TOO_LARGE},
    {"request too large", NULL, REJECT_TOO_LARGE},
    {"request body too large", NULL, REJECT_TOO_LARGE},
    {"payload too large", NULL, REJECT_TOO_LARGE},
    {"content too large", NULL, REJECT_TOO_LARGE},
    {"request exceeds the maximum size", NULL, REJECT_TOO_LARGE},
    {"request payload size exceeds", NULL, REJECT_TOO_LARGE},
    {"<title>413", NULL, REJECT_TOO_LARGE},
    {"http 413", NULL, REJECT_TOO_LARGE},
    {"http/1.1 413", NULL, REJECT_TOO_LARGE},
    {"status code 413", NULL, REJECT_TOO_LARGE},
    {"error code: 413", NULL, REJECT_TOO_LARGE},
    {"too many images", NULL, REJECT_TOO_MANY},
    {"image(s) may be provided", NULL, REJECT_TOO_MANY},
    {"maximum number of images", NULL, REJECT_TOO_MANY},
    {"images per request", NULL, REJECT_TOO_MANY},
    {"images are allowed", NULL, REJECT_TOO_MANY},
    {"only 'text' content type is supported", NULL, REJECT_UNSUPPORTED},
    {"image_url is not supported", NULL, REJECT_UNSUPPORTED},
    {"image_url'. expected", NULL, REJECT_UNSUPPORTED},
    {"multimodal", "not supported", REJECT_UNSUPPORTED},
    {"vision", "not supported", REJECT_UNSUPPORTED},
    {"does not support image", NULL, REJECT_UNSUPPORTED},
    {"does not support multimodal", NULL, REJECT_UNSUPPORTED},
    {"does not support vision", NULL, REJECT_UNSUPPORTED},
    {"image urls are only allowed", NULL, REJECT_UNSUPPORTED},
    {"image urls are not currently supported", NULL, REJECT_UNSUPPORTED},
    {"unexpected item type in content", NULL, REJECT_UNSUPPORTED},
    {"unknown variant `image_url`", NULL, REJECT_UNSUPPORTED},
    {"no endpoints found that support image input", NULL, REJECT_UNSUPPORTED},
    {"unsupported image", NULL, REJECT_UNSUPPORTED},
    {"unsupported_image", NULL, REJECT_UNSUPPORTED},
    {"invalid_image", NULL, REJECT_UNSUPPORTED},
    {"input should be 'image/jpeg'", NULL, REJECT_UNSUPPORTED},
    {"image_too_small", NULL, REJECT_UNSUPPORTED},
    {"image too small", NULL, REJECT_UNSUPPORTED},
    {"image is too small", NULL, REJECT_UNSUPPORTED},
    {"image dimensions", "small", REJECT_UNSUPPORTED},
    {"unsupported mime type", NULL, REJECT_UNSUPPORTED},
    {"unsupported media type", "image", REJECT_UNSUPPORTED},
    {"image format", "supported", REJECT_UNSUPPORTED},
    {"tool message", "image", REJECT_UNSUPPORTED},
    {"failed_to_download_image", NULL, REJECT_UNSUPPORTED},
    {"text is not set", NULL, REJECT_UNSUPPORTED},
    {"tool message content must be a string", NULL, REJECT_UNSUPPORTED},
    {"tool content must be a string", NULL, REJECT_UNSUPPORTED},
    {"tool_call.content must be string", NULL, REJECT_UNSUPPORTED},
};

static const struct phrase *find_phrase(const char *text)
{
    for (size_t i = 0; i < COUNT(phrases); i++)
        if (strstr(text, phrases[i].words) && (!phrases[i].also || strstr(text, phrases[i].also)))
            return &phrases[i];
    return NULL;
}

/* ---------------------------------------------------------------- what is meant */

static bool any_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words))
            return true;
    return false;
}

/* The one type that the text names. With several it says which are taken. */
static void take_type(const char *text, char ret[static 32])
{
    static const char start[] = "image/";
    char type[32] = "";
    for (const char *at = strstr(text, start); at; at = strstr(at + 1, start)) {
        size_t len = sizeof start - 1 + strspn(at + sizeof start - 1, "abcdefghijklmnopqrstuvwxyz0123456789.+-");
        while (len > sizeof start && at[len - 1] == '.')
            len--;
        if (len >= sizeof type || (type[0] && (strlen(type) != len || strncmp(type, at, len) != 0)))
            return;
        memcpy(type, at, len);
        type[len] = '\0';
    }
    memcpy(ret, type, sizeof type);
}

static enum reject_aim find_aim(const char *text, enum reject_cause cause)
{
    static const char *const sides[] = {"dimension", "pixels", "width", "height", NULL};
    static const char *const small[] = {"too small", "too_small", "image dimensions", NULL};
    switch (cause) {
    case REJECT_TOO_LARGE:
        return any_of(text, sides) ? REJECT_LONGEST : REJECT_HEAVIEST;
    case REJECT_TOO_MANY:
        return REJECT_OLDEST;
    case REJECT_UNSUPPORTED:
        return any_of(text, small) ? REJECT_SMALLEST : REJECT_NEWEST;
    default:
        return REJECT_NEWEST;
    }
}

static void take_hints(const char *text, const struct phrase *found, struct rejection *r)
{
    static const char *const results[] = {"function response", "functionresponse", "function_response", "tool message", "tool content",
                                          "tool_call.content", "role 'tool'", "role \"tool\"", "tool result", NULL};
    static const char *const formats[] = {"_format", "image format", "following formats", "mime type", "mime_type", "media type",
                                          "media_type", NULL};
    bool unsupported = found->cause == REJECT_UNSUPPORTED;
    r->aim = find_aim(text, found->cause);
    r->document = strstr(found->words, "pdf") != NULL;
    r->image = !r->document && strstr(found->words, "image") != NULL;
    r->in_result = unsupported && any_of(text, results);
    r->format = unsupported && !r->in_result && r->aim == REJECT_NEWEST && any_of(text, formats);
    if (r->format && !strstr(text, "should be"))
        take_type(text, r->type);
}

/* ---------------------------------------------------------------- places */

enum { INDEX_MOST = 10000000 };

/* How a wire writes the way to a block. */
struct way {
    const char *root;
    bool dotted; /* messages.3 and not messages[3] */
    const char *lists[2], *inner[2];
};
static const struct way ways[LOWER_WIRES] = {
    [LOWER_ANTHROPIC] = {"messages", true, {".content"}, {".tool_result.content"}},
    [LOWER_CHAT] = {"messages", false, {".content"}, {NULL}},
    [LOWER_RESPONSES] = {"input", false, {".content", ".output"}, {NULL}},
    [LOWER_GEMINI] = {"contents", false, {".parts"}, {".function_response.parts", ".functionresponse.parts"}},
};

/* ".12" or "[12]"; at moves behind it. False, and at stays, when it is none or beyond reason. */
static bool take_index(const char **at, bool dotted, size_t *ret)
{
    const char *s = *at;
    size_t n = 0;
    if (*s++ != (dotted ? '.' : '[') || *s < '0' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++) {
        n = n * 10 + (size_t)(*s - '0');
        if (n > INDEX_MOST)
            return false;
    }
    if (!dotted && *s++ != ']')
        return false;
    *at = s;
    *ret = n;
    return true;
}

static bool take_list(const char **at, const char *const names[2], bool dotted, size_t *ret)
{
    for (size_t i = 0; i < 2 && names[i]; i++) {
        size_t len = strlen(names[i]);
        const char *s = *at + len;
        if (strncmp(*at, names[i], len) == 0 && take_index(&s, dotted, ret)) {
            *at = s;
            return true;
        }
    }
    return false;
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The first way to a block in the text; *rest what follows it. */
static bool find_place(const struct way *way, const char *text, struct lower_place *ret, const char **rest)
{
    size_t len = strlen(way->root), inner;
    for (const char *found = strstr(text, way->root); found; found = strstr(found + 1, way->root)) {
        struct lower_place p = {.block = SIZE_MAX, .inner = -1};
        const char *at = found + len;
        if ((found > text && letter(found[-1])) || !take_index(&at, way->dotted, &p.message))
            continue;
        if (take_list(&at, way->lists, way->dotted, &p.block) && take_list(&at, way->inner, way->dotted, &inner))
            p.inner = (int64_t)inner;
        *ret = p;
        *rest = at;
        return true;
    }
    return false;
}

/* Whether what follows a place says that it is a picture or document: ".image.source", "].image_url". */
static bool names_media(const char *rest)
{
    static const char *const names[] = {".image", ".document", ".pdf", ".input_image", ".input_file", ".file", ".inline_data", ".inlinedata"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (strncmp(rest, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* ---------------------------------------------------------------- words */

static int add_plain(const char *text, size_t len, struct buf *to)
{
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c + 32);
        if (c != '\\' && c != '\0')
            (void)buf_add(to, &c, 1);
    }
    return to->error;
}

/* The value of the first "message" member that is a string; else all of it. */
static void take_words(const char *text, size_t len, char ret[static 300])
{
    static const char key[] = "\"message\"";
    auto_buf b = BUF_INIT(LIMIT_PROVIDER_ERROR);
    const char *found = memmem(text, len, key, sizeof key - 1), *end = text + len;
    struct span value;
    for (found = found ? found + sizeof key - 1 : NULL; found && found < end && strchr(" \t\r\n:", *found) && *found;)
        found++;
    bool said = found && found < end && *found == '"' && span_value(found, (size_t)(end - found), &value) && span_text(value, &b) == 0;
    const char *from = said ? b.data : text;
    size_t n = from ? said ? b.len : len : 0, cut = MIN(n, (size_t)299);
    cut = from ? utf8_valid_prefix(from, cut) : 0;
    memcpy(ret, from ? from : "", cut);
    ret[cut] = '\0';
    for (size_t i = 0; i < cut; i++)
        if ((unsigned char)ret[i] < 0x20)
            ret[i] = ' ';
}

int reject_read(enum lower_wire wire, const char *text, size_t len, struct rejection *ret)
{
    struct rejection r = {.place = {.inner = -1}};
    auto_buf plain = BUF_INIT(LIMIT_PROVIDER_ERROR);
    const char *rest = NULL;
    len = MIN(len, (size_t)LIMIT_PROVIDER_ERROR - 1);
    if (add_plain(text, len, &plain) < 0)
        return plain.error;
    if (!plain.data)
        return -ENOENT;
    const struct phrase *found = find_phrase(plain.data);
    if (found) {
        r.cause = found->cause;
        take_hints(plain.data, found, &r);
    }
    r.placed = find_place(&ways[wire], plain.data, &r.place, &rest);
    if (r.cause == REJECT_UNKNOWN && !(r.placed && names_media(rest)))
        return -ENOENT;
    take_words(text, len, r.words);
    *ret = r;
    return 0;
}

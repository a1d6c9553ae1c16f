/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markdown through fovea-text: the names of its images, which the parent must believe, and its pages with the pictures that a
 * parent would hand in. What stands behind INSETS in the input are these: a table and rows of pixels, as true as the bytes
 * happen to be.
 * about: render/text/markdown.c render/text/md_doc.c render/text/md_html.c render/text/md_inset.c render/text/md_table.c
 * render/text/md_text.c render/text/md_repair.c
 * max_len: 16384
 * keep: 196608
 */
#include "drawn.h"
#include "render/text/fonts.h"
#include "render/text/markdown.h"
#include "shown.h"

#define INSETS "\0insets"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char *readable[LIMIT_RENDER_FILES + 1];
    (void)argc, (void)argv;
    fonts_prepare(readable);
    return 0;
}

static void name_images(const uint8_t *data, size_t len)
{
    struct work_request q = {.magic = WORK_MAGIC, .media = MEDIA_MARKDOWN, .input_len = len, .flags = WORK_REFS};
    struct work_reply reply = {0};
    struct output out = {0};
    struct complaint c = {""};
    assert(markdown_refs(&(struct source){.data = data, .len = len, .request = &q}, &reply, &out, &c) == WORK_OK);
    shown_believed(&q, &reply, &out);
    output_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t all = shown_len(data, len), n = all, other = 0;
    const uint8_t *cut = memmem(data, all, INSETS, sizeof INSETS - 1);
    if (cut) {
        n = (size_t)(cut - data);
        other = all - n - (sizeof INSETS - 1);
    }
    auto_free uint8_t *text = shown_copy(data, n), *insets = shown_copy(data + all - other, other);
    struct work_request q = shown_request(all < len ? data + all : NULL, MEDIA_MARKDOWN, n);
    q.other_len = other;
    name_images(text, n);
    struct source s = {.data = text, .len = n, .request = &q, .other = other ? insets : NULL};
    shown_run(&render_markdown, &s, &(struct sniff){.media = MEDIA_MARKDOWN});
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    static const char *const words[] = {
        "# ", "\n\n", "- ", "1. ", "> ", "```\n", "~~~", "    ", "| a | b |\n|---|:-:|\n", "**", "_", "~~", "`", "![alt](a.png)",
        "[a](b)",
        "<img src=\"a.png\" width=\"50%\">", "<br>", "<details>", "</details>", "<!--", "-->", "- [x] ", "---\n", "***\n", "&amp;",
        "\\", "https://a.b/c", "$x^2$", "[^1]", "\xe4\xbd\xa0", "\xd7\xa9", "<table>", "<p align=\"center\">", "</p>", NULL};
    if (seed % 16 == 2 && len + sizeof INSETS <= room) {
        memcpy(data + len, INSETS, sizeof INSETS - 1);
        return len + sizeof INSETS - 1;
    }
    return shown_mutate(data, len, room, seed, words, NULL);
}

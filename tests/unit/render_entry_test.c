/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a transcript as a terminal interface shows them. */
#include "test.h"

#include "base/buf.h"
#include "base/limits.h"
#include "fovea.h"

static const struct {
    const char *what, *entry, *want;
} cases[] = {
    {"user", "{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"what is it?\\nsay\"}]}", "user\n  what is it?\n  say"},
    {"system by its role", "{\"kind\":\"system\",\"role\":\"developer\",\"parts\":[{\"type\":\"text\",\"text\":\"be brief\"}]}",
     "developer\n  be brief"},
    {"an attachment", "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\"00\",\"bytes\":9,"
     "\"width\":640,\"height\":480,\"name\":\"a b.png\"}]}", "user\n  [image a b.png · image/png 640x480]"},
    {"a picture elsewhere", "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"url\":\"https://x/y.png\"}]}",
     "user\n  [image · https://x/y.png]"},
    {"a broken picture", "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"broken\":\"cut off\"}]}",
     "user\n  [image · image/png · never sent: cut off]"},
    {"a document", "{\"kind\":\"user\",\"parts\":[{\"type\":\"document\",\"media_type\":\"application/pdf\",\"name\":\"p.pdf\","
     "\"pages\":3}]}", "user\n  [document p.pdf · application/pdf · pages: 3]"},
    {"a call", "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"text\",\"text\":\"I look.\"},{\"type\":\"tool_call\",\"id\":\"c1\","
     "\"name\":\"inspect_image\",\"arguments\":{\"path\":\"a.png\",\"question\":\"what?\"}}]}",
     "assistant\n  I look.\n  → inspect_image a.png: what?"},
    {"thoughts", "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"opaque\",\"wire\":\"anthropic\",\"thinking\":true,\"text\":\"hm\","
     "\"value\":{\"type\":\"thinking\"}}]}", "assistant\n  (thinking) hm"},
    {"what only a wire knows", "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"opaque\",\"wire\":\"gemini\",\"value\":{\"type\":\"x\"}}]}",
     "assistant\n  [gemini x]"},
    {"a view", "{\"kind\":\"perception\",\"name\":\"view\",\"arguments\":{\"path\":\"a.png\"},\"parts\":[{\"type\":\"text\",\"text\":"
     "\"a.png: 96x64\"},{\"type\":\"image\",\"media_type\":\"image/webp\",\"view\":\"view:ab12\",\"width\":96,\"height\":64}]}",
     "← view a.png\n  a.png: 96x64\n  view:ab12 · image/webp"},
    {"an inspection", "{\"kind\":\"tool_result\",\"name\":\"inspect_image\",\"result\":{\"ok\":true,\"kind\":\"answer\",\"details\":{"
     "\"model\":\"p/m\",\"mimeType\":\"image/png\"}},\"parts\":[{\"type\":\"text\",\"text\":\"a cat\"}]}",
     "← inspect_image\n  a cat\n  p/m · image/png"},
    {"an answer", "{\"kind\":\"tool_result\",\"name\":\"vision_analyze\",\"result\":{\"kind\":\"answer\",\"model\":\"m\","
     "\"provider\":\"p\"},\"parts\":[{\"type\":\"text\",\"text\":\"a cat\"}]}", "← vision_analyze\n  a cat\n  p/m"},
    {"an answer about a picture", "{\"kind\":\"tool_result\",\"name\":\"vision_analyze\",\"result\":{\"kind\":\"answer\",\"model\":\"m\","
     "\"provider\":\"p\",\"mimeType\":\"image/webp\"},\"parts\":[{\"type\":\"text\",\"text\":\"a cat\"}]}",
     "← vision_analyze\n  a cat\n  p/m · image/webp"},
    {"what is for people", "{\"kind\":\"tool_result\",\"name\":\"vision_analyze\",\"result\":{\"kind\":\"answer\",\"text\":\"a dog\","
     "\"model\":\"m\",\"provider\":\"p\"},\"parts\":[{\"type\":\"text\",\"text\":\"{}\"}]}", "← vision_analyze\n  a dog\n  p/m"},
    {"the note of a view", "{\"kind\":\"perception\",\"name\":\"view\",\"result\":{\"kind\":\"perception\",\"note\":\"a.png 9x9\"},"
     "\"parts\":[{\"type\":\"text\",\"text\":\"a.png 9x9\\n[1 image follows]\"}]}", "← view\n  a.png 9x9"},
    {"what an inspection says", "{\"kind\":\"tool_result\",\"name\":\"inspect_image\",\"result\":{\"kind\":\"answer\",\"content\":[{"
     "\"type\":\"text\",\"text\":\"a bee\"}],\"details\":{\"model\":\"p/m\"}},\"parts\":[{\"type\":\"text\",\"text\":\"<x>\"}]}",
     "← inspect_image\n  a bee\n  p/m"},
    {"a result is cut after four lines", "{\"kind\":\"tool_result\",\"name\":\"sh\",\"parts\":[{\"type\":\"text\",\"text\":"
     "\"1\\n2\\n3\"},{\"type\":\"text\",\"text\":\"4\\n5\\n6\"}]}", "← sh\n  1\n  2\n  3\n  4\n  … 2 more lines"},
    {"a failure", "{\"kind\":\"tool_result\",\"name\":\"sh\",\"error\":true,\"parts\":[]}", "← sh (failed)\n  (no text)"},
    {"usage", "{\"kind\":\"usage\",\"model\":\"p/m\",\"input\":10,\"output\":2,\"cache_read\":7,\"cost_usd\":0.5}",
     "usage · p/m · in: 10, out: 2, from the cache: 7 · $0.5"},
    {"no price", "{\"kind\":\"usage\",\"model\":\"p/m\",\"input\":1,\"output\":2,\"cost_usd\":null}",
     "usage · p/m · in: 1, out: 2 · price not known"},
    {"a request", "{\"kind\":\"request\",\"wire\":\"gemini\",\"tools\":[1,2],\"body\":{}}", "request · gemini · tools: 2"},
    {"a repair", "{\"kind\":\"repair\",\"entry\":4,\"part\":1,\"how\":\"stub\",\"why\":\"too large\"}",
     "repair · entry 4, part 1 · stub: too large"},
    {"a repair of nothing", "{\"kind\":\"repair\"}", "repair"},
    {"usage of nobody", "{\"kind\":\"usage\",\"input\":1}", "usage · in: 1 · price not known"},
    {"a blank role", "{\"kind\":\"system\",\"role\":\" \",\"parts\":[]}", "system"},
    {"nothing acts", "{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"a\\u001b[31m\\u202eb\"}]}",
     "user\n  a\\u001b[31m\\u202eb"},
    {"nor in a name", "{\"kind\":\"tool_result\",\"name\":\"s\\u001bh\",\"parts\":[{\"type\":\"text\",\"text\":\"x\"}]}",
     "← s\\u001bh\n  x"},
    {"a kind of tomorrow", "{\"kind\":\"dream\"}", "an entry of another kind: dream"},
    {"no entry", "[1", "an entry of another kind"},
    {"no JSON", "", "an entry of another kind"},
};

TEST(entries_are_drawn_as_people_read_them)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        auto_free char *got = fovea_render_entry_new(cases[i].entry, strlen(cases[i].entry), false);
        if (!got || strcmp(got, cases[i].want) != 0)
            printf("  %s: \"%s\", want \"%s\"\n", cases[i].what, got ? got : "NULL", cases[i].want);
        CHECK(got && !strcmp(got, cases[i].want));
    }
}

TEST(a_result_has_sixteen_lines_of_120_columns_when_expanded_and_words_are_whole)
{
    auto_buf result = BUF_INIT(MIB), words = BUF_INIT(MIB);
    (void)buf_add_str(&result, "{\"kind\":\"tool_result\",\"name\":\"sh\",\"parts\":[{\"type\":\"text\",\"text\":\"");
    (void)buf_add_str(&words, "{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"");
    for (int i = 0; i < 20; i++) {
        (void)buf_add_format(&result, "%0200d\\n", i);
        (void)buf_add_format(&words, "%0200d\\n", i);
    }
    (void)buf_add_str(&result, "\"}]}");
    (void)buf_add_str(&words, "\"}]}");
    auto_free char *cut = fovea_render_entry_new(result.data, result.len, true);
    auto_free char *whole = fovea_render_entry_new(words.data, words.len, false);
    CHECK(cut && strlen(cut) == strlen("← sh") + 16 * (3 + 119 + strlen("…")) + strlen("\n  … 4 more lines"));
    CHECK(whole && strlen(whole) == strlen("user") + 20 * (3 + 200));
}

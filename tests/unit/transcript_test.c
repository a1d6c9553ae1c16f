/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the four wires come in and go out again as they were. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "transcript/entry.h"
#include "transcript_export.h"

static const char *list_key(const char *wire)
{
    return !strcmp(wire, "gemini") ? "contents" : !strcmp(wire, "openai-responses") ? "input" : "messages";
}

/* Every entry is stored and read again, so that what is compared went through text. */
static bool stored_well(struct incoming *in)
{
    struct entry_room room = {0};
    bool good = true;
    for (size_t i = 0; good && i < json_array_size(in->entries); i++) {
        size_t len = 0;
        char *text = entry_text_new(json_array_get(in->entries, i), &len);
        struct entry e;
        json_t *again = text ? json_loadb(text, len, 0, NULL) : NULL;
        good = again && json_equal(again, json_array_get(in->entries, i)) && entry_read(text, len, 1, &room, &e) == 0;
        CHECK_MSG(good, "entry %zu: %s", i, text ? text : "none");
        json_array_set_new(in->entries, i, again);
        free(text);
    }
    entry_room_done(&room);
    return good;
}

static int round_trip(const char *wire, const json_t *root, const char *name)
{
    struct incoming in = {.max_blob = 20 << 20};
    struct fovea_fault fault = {0};
    int r = incoming_request(&in, wire, root, &fault);
    CHECK_MSG(r == 0, "%s/%s: %s", wire, name, fault.text);
    if (r == 0 && stored_well(&in)) {
        json_t *out = export_list(&in, wire), *want = json_is_array(root) ? json_incref((json_t *)(uintptr_t)root)
                                                                          : json_incref(json_object_get(root, list_key(wire)));
        for (size_t i = 0; i < json_array_size(want) || i < json_array_size(out); i++) {
            json_t *a = json_array_get(want, i), *b = json_array_get(out, i);
            if (a && b && json_equal(a, b))
                continue;
            char *was = a ? json_dumps(a, JSON_ENCODE_ANY) : NULL, *is = b ? json_dumps(b, JSON_ENCODE_ANY) : NULL;
            CHECK_MSG(false, "%s/%s [%zu]\n was %s\n is  %s", wire, name, i, was ? was : "", is ? is : "");
            free(was);
            free(is);
            r = -1;
            break;
        }
        json_decref(want);
        json_decref(out);
    }
    incoming_done(&in);
    return r;
}

static size_t each_case(const char *wire, int (*run)(const char *wire, const json_t *root, const char *name))
{
    char folder[PATH_MAX];
    size_t n = 0;
    (void)snprintf(folder, sizeof folder, "tests/cases/transcript/%s", wire);
    DIR *d = opendir(folder);
    CHECK_MSG(d, "%s", folder);
    for (struct dirent *f; d && (f = readdir(d));) {
        char path[PATH_MAX + 300];
        if (f->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        json_t *root = json_load_file(path, 0, NULL);
        CHECK_MSG(root, "%s", path);
        if (root)
            (void)run(wire, root, f->d_name);
        json_decref(root);
        n++;
    }
    if (d)
        closedir(d);
    return n;
}

TEST(every_case_of_every_wire_comes_back_as_it_was)
{
    for (size_t i = 0; transcript_wires[i]; i++)
        CHECK_MSG(each_case(transcript_wires[i], round_trip) >= 10, "%s", transcript_wires[i]);
}

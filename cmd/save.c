/* SPDX-License-Identifier: Apache-2.0 */
/* `-o FILE`: see save.h. */
#include "save.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/limits.h"
#include "command.h"
#include "out.h"
#include "replace.h"

/* The first is the one to advise. */
static const struct {
    const char *media_type;
    const char *endings[3];
} endings[] = {
    {"image/png", {".png"}},
    {"image/jpeg", {".jpg", ".jpeg"}},
    {"image/gif", {".gif"}},
    {"image/webp", {".webp"}},
};

static bool ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && !strcasecmp(path + n - m, ending);
}

static void advise_name(const char *path, const char *media_type)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    for (size_t i = 0; i < COUNT(endings); i++) {
        if (strcmp(endings[i].media_type, media_type) != 0)
            continue;
        for (const char *const *e = endings[i].endings; *e; e++)
            if (ends_with(base, *e))
                return;
        say("'%s' holds %s; a name ending in %s would say so", path, media_type, endings[i].endings[0]);
    }
}

static int refuse_terminal(void)
{
    say("will not write a picture to a terminal; give -o a file, or send stdout to one");
    return EXIT_USAGE;
}

static int failed(const char *path, int code, struct fovea_fault *fault)
{
    fault->code = code;
    (void)snprintf(fault->text, sizeof fault->text, "cannot write \"%.150s\": %s", path, strerror(-code));
    return EXIT_FAULT;
}

static int write_through(const struct fovea_image *image, const char *path, struct fovea_fault *fault)
{
    auto_close int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return failed(path, -errno, fault);
    if (isatty(fd))
        return refuse_terminal();
    int r = write_all(fd, image->data, image->len);
    return r < 0 ? failed(path, r, fault) : EXIT_DONE;
}

static int write_beside(const struct fovea_image *image, const char *path, const struct stat *before,
                        struct fovea_fault *fault)
{
    int r = replace_file(path, image->data, image->len, before, 0666, false);
    return r < 0 ? failed(path, r, fault) : EXIT_DONE;
}

int save_image(const struct fovea_image *image, const char *path, struct fovea_fault *fault)
{
    struct stat st;
    if (!strcmp(path, "-"))
        return isatty(STDOUT_FILENO) ? refuse_terminal() : out(image->data, image->len);
    bool there = lstat(path, &st) == 0, through = there && !S_ISREG(st.st_mode);
    int bad = through ? write_through(image, path, fault) : write_beside(image, path, there ? &st : NULL, fault);
    if (!bad && !(through && !S_ISLNK(st.st_mode)))
        advise_name(path, image->media_type);
    return bad;
}

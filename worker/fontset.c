/* SPDX-License-Identifier: Apache-2.0 */
/* Where fonts are: see fontset.h. The places are those that fontconfig is built with on every distribution; one that its settings
 * name besides cannot be read. */
#include "fontset.h"

#include <fontconfig/fontconfig.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/limits.h"

static const char *const places[] = {
    "/etc/fonts",       "/usr/share/fontconfig", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/texmf/fonts",
    "/usr/share/X11/fonts", "/var/cache/fontconfig", "/var/lib/defoma",
};
static const char *const at_home[] = {
    ".fonts", ".local/share/fonts", ".config/fontconfig", ".fonts.conf", ".fonts.conf.d", ".cache/fontconfig", ".fontconfig",
};

size_t fontset_name(const char **readable, size_t n)
{
    const char *home = getenv("HOME");
    for (size_t i = 0; i < COUNT(places) && n < LIMIT_RENDER_FILES; i++)
        readable[n++] = places[i];
    for (size_t i = 0; home && *home == '/' && i < COUNT(at_home) && n < LIMIT_RENDER_FILES; i++) {
        char *path;
        if (asprintf(&path, "%s/%s", home, at_home[i]) >= 0)
            readable[n++] = path;
    }
    readable[n] = NULL;
    return n;
}

void fontset_ready(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    (void)FcInit();
    /* The settings would be looked at again every half minute; fonts that change while a worker waits are for the next one. */
    (void)FcConfigSetRescanInterval(NULL, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kinds of sources there are to view: which of them may be drawn here, and what a request can name in each: pages, frames,
 * times. Names are never believed: they only say what program is worth starting early, which text is Markdown, which no bytes
 * tell, and that words under the name of a picture are some mishap: an error page that was saved, a pointer to a large file.
 */
#include <string.h>
#include <strings.h>

#include "api/view.h"
#include "base/limits.h"

/* ---------------------------------------------------------------- by name */

static const struct {
    enum program_id program;
    const char *ends; /* with blanks around each */
} names[] = {
    {PROGRAM_SVG, " svg svgz "},
    {PROGRAM_PDF, " pdf "},
    {PROGRAM_VIDEO, " mp4 m4v mov webm mkv avi mpg mpeg 3gp vob m2ts mts flv wmv asf ogv "},
    {PROGRAM_PHOTO, " bmp ico tif tiff heic heif avif "},
    {PROGRAM_TEXT, " md markdown mdown txt log c h cc cpp hpp cs css csv go html ini java js json jsx kt lua m mjs patch diff "
                   "php pl py rb rs rst sh sql swift tex toml ts tsx xml yaml yml "},
};

/* What follows the last dot of the last part, in lower case; "" where nothing does. */
static void ending_of(const char *name, char out[16])
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    size_t n = dot ? strlen(dot + 1) : 0;
    out[0] = '\0';
    if (!dot || !n || n > 12)
        return;
    for (size_t i = 0; i <= n; i++)
        out[i] = dot[1 + i] >= 'A' && dot[1 + i] <= 'Z' ? (char)(dot[1 + i] + 32) : dot[1 + i];
}

enum program_id view_program_by_name(const char *name)
{
    char end[16], word[20];
    ending_of(name, end);
    (void)snprintf(word, sizeof word, " %s ", end);
    for (size_t i = 0; *end && i < COUNT(names); i++)
        if (strstr(names[i].ends, word))
            return names[i].program;
    return PROGRAM_WORKER;
}

bool view_promises_pixels(const char *name)
{
    char end[16];
    ending_of(name, end);
    enum program_id p = view_program_by_name(name);
    bool bitmap = !strcmp(end, "png") || !strcmp(end, "jpg") || !strcmp(end, "jpeg") || !strcmp(end, "gif") ||
                  !strcmp(end, "webp");
    return bitmap || p == PROGRAM_PHOTO || p == PROGRAM_VIDEO || p == PROGRAM_PDF;
}

bool view_is_markdown_name(const char *name)
{
    char end[16];
    ending_of(name, end);
    return !strcmp(end, "md") || !strcmp(end, "markdown") || !strcmp(end, "mdown");
}

/* ---------------------------------------------------------------- what may be drawn */

static const struct {
    enum fovea_render bit; /* 0: pixels of its own */
    const char *setting, *instead;
} drawn[] = {
    [CLASS_BINARY] = {0, NULL, NULL},
    [CLASS_BITMAP] = {0, NULL, NULL},
    [CLASS_PICTURE] = {0, NULL, NULL},
    [CLASS_VECTOR] = {FOVEA_RENDER_SVG, "render.svg", "use read for its markup"},
    [CLASS_DOCUMENT] = {FOVEA_RENDER_PDF, "render.pdf", "ask for its text, or for its pages as pictures; vision_analyze, where "
                                                        "there is one, may still take it"},
    [CLASS_VIDEO] = {FOVEA_RENDER_VIDEO, "render.video", "ask for single frames as pictures"},
    [CLASS_TEXT] = {FOVEA_RENDER_TEXT, "render.text", "use read for its text"},
};

static enum fovea_render bit_of(enum program_id p)
{
    static const enum fovea_render bits[PROGRAM_COUNT] = {[PROGRAM_SVG] = FOVEA_RENDER_SVG, [PROGRAM_TEXT] = FOVEA_RENDER_TEXT,
                                                          [PROGRAM_PDF] = FOVEA_RENDER_PDF, [PROGRAM_VIDEO] = FOVEA_RENDER_VIDEO};
    return bits[p];
}

/* What may not be drawn is not even started. */
void view_prepare(const struct view_job *j)
{
    enum program_id p = view_program_by_name(j->request->path);
    bool wanted = !j->bitmaps_only || p == PROGRAM_WORKER;
    if (wanted && call_may_draw(j->call, bit_of(p)))
        programs_prepare(j->call->f->programs, p);
}

int view_may_draw(struct view_job *j)
{
    const struct media_row *row = media_row(j->sniff.media);
    enum fovea_render bit = drawn[row->class].bit;
    if (call_may_draw(j->call, bit))
        return 0;
    const char *path = j->request->path, *setting = drawn[row->class].setting;
    const char *instead = j->sniff.media == MEDIA_SVGZ ? "uncompress it with gzip -d, and use read for its markup"
                                                       : drawn[row->class].instead;
    if (!config_draws(&j->call->f->config, bit))
        return view_settle(j, refuse_named(REASON_RENDER_NOT_ALLOWED, path,
                                           "is %s, which must be drawn to be seen, and %s is false in the config; set it to "
                                           "true, or %s", row->name, setting, instead));
    return view_settle(j, refuse_named(REASON_RENDER_NOT_ALLOWED, path,
                                       "is %s, which must be drawn to be seen, and this host does not let view draw it; %s",
                                       row->name, instead));
}

/* ---------------------------------------------------------------- what a request names */

static bool is_range(const struct fovea_pages *p)
{
    return p->last > p->first;
}

int view_combines(struct view_job *j)
{
    const struct fovea_view_request *q = j->request;
    bool many = q->sheet || is_range(&q->page);
    const char *words = NULL;
    if (q->time.set && q->frame)
        words = "\"time\" and \"frame\" both name a frame; give one of them";
    else if (q->sheet && (q->frame || q->time.set))
        words = "\"sheet\" shows many frames; leave out \"frame\" and \"time\", or \"sheet\"";
    else if (many && q->region.set)
        words = "a region is part of one picture; leave it out to see several, or name one page, frame or time";
    else if (many && q->against)
        words = "\"against\" compares one picture with another; leave out \"sheet\", and name one page";
    return words ? view_settle(j, result_refused(REASON_INVALID_INPUT, "%s", words)) : 0;
}

static bool is_animated(const struct sniff *s)
{
    return (s->media == MEDIA_GIF || s->media == MEDIA_WEBP || s->media == MEDIA_PNG) && s->frames != 1;
}

/* A picture file that may hold several pictures, each of them a page. */
static bool is_album(enum media m)
{
    return m == MEDIA_TIFF || m == MEDIA_ICO || m == MEDIA_HEIC || m == MEDIA_AVIF;
}

bool view_has_parts(const struct view_job *j, enum view_part part)
{
    enum media m = j->sniff.media;
    enum media_class class = media_row(m)->class;
    if (part == PART_PAGE)
        return class == CLASS_DOCUMENT || class == CLASS_TEXT || is_album(m);
    if (part == PART_TIME)
        return class == CLASS_VIDEO;
    return class == CLASS_VIDEO || is_animated(&j->sniff);
}

/* What it does not have, in words that follow its name; NULL: it has all that is named. */
static const char *lacks(const struct view_job *j, enum media_class class)
{
    bool video = class == CLASS_VIDEO, paged = class == CLASS_DOCUMENT || class == CLASS_TEXT;
    bool album = is_album(j->sniff.media);
    if (j->timed && !video)
        return paged || album ? "is no video, so \"time\" names nothing in it; use \"page\""
                              : "is no video, so \"time\" names nothing in it; use \"frame\"";
    if (j->work.page && video)
        return "is a video and has no pages; use \"time\" or \"frame\"";
    if (j->work.frame > 1 && (paged || album))
        return "has 1 frame; use \"page\"";
    if (j->work.frame > 1 && class == CLASS_VECTOR)
        return "has 1 frame; leave out \"frame\"";
    if (video && !j->timed && !j->work.frame && (j->work.region.set || j->request->against))
        return "is a video: name the one frame that is meant, with \"time\" or \"frame\"";
    return NULL;
}

/* The same of a sheet. Of a still picture it is the picture. */
static const char *lacks_sheet(const struct view_job *j, enum media_class class)
{
    bool range = j->work.last_page;
    if ((range || j->sheet) && class == CLASS_TEXT)
        return "is shown one page at a time; name one in \"page\"";
    if (j->sheet && !range && class == CLASS_DOCUMENT)
        return "is shown on a sheet by naming pages: \"page\": \"1-6\"";
    return NULL;
}

/* Of a range, what is drawn first: all of it on a sheet. Of too many pages, and of what has none but perhaps tiles, only the last:
 * it tells whether there are so many. */
static void choose_range(struct view_job *j)
{
    if (view_has_parts(j, PART_PAGE))
        j->work.flags |= WORK_SHEET;
    if (!view_has_parts(j, PART_PAGE) || j->work.last_page - j->work.page >= LIMIT_SHEET_CELLS)
        j->work.page = j->work.last_page;
}

int view_choose(struct view_job *j)
{
    enum media_class class = media_row(j->sniff.media)->class;
    bool range = j->work.last_page, video = class == CLASS_VIDEO;
    const char *words = lacks(j, class);
    if (!words)
        words = lacks_sheet(j, class);
    if (words)
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, j->request->path, "%s", words));
    bool frames = video ? !j->timed && !j->work.frame : j->sheet && is_animated(&j->sniff);
    if (frames)
        j->work.flags |= WORK_SHEET;
    if (range)
        choose_range(j);
    if (j->timed)
        j->work.flags |= WORK_TIME;
    if (j->work.flags & WORK_SHEET && j->work.region.set)
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, j->request->path,
                                           "shows several; a region is part of one: name one page, frame or time"));
    if (j->work.region.set && !j->request->page.first && !view_has_parts(j, PART_PAGE))
        j->work.page = 0; /* it was measured in a tile, but is one of the whole */
    return 0;
}

int view_shown_right(struct view_job *j)
{
    const struct work_reply *r = &j->output.reply;
    bool tiled = r->facts & WORK_TILED;
    if (j->sheet && !j->work.last_page && r->pages > 1 && !tiled && !r->cells)
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, j->request->path,
                                           "has %u pages; they are shown on a sheet by naming them: \"page\": \"1-%u\"", r->pages,
                                           MIN(r->pages, LIMIT_SHEET_CELLS)));
    if (tiled && j->work.last_page)
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, j->request->path,
                                           "is shown one page at a time: its pages are tiles of one picture"));
    if (j->work.last_page && j->request->page.last - j->request->page.first >= LIMIT_SHEET_CELLS)
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, j->request->path,
                                           "has %u pages; a sheet shows at most %u of them", r->pages, LIMIT_SHEET_CELLS));
    if (tiled && j->work.region.set && j->request->page.first > 1)
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, j->request->path,
                                           "is one long picture whose pages are tiles, and a region is measured in the whole; "
                                           "leave out \"page\" or \"region\""));
    return 0;
}

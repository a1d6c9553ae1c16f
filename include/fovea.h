/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libfovea: visual perception for LLM agents.
 *
 * Two verbs, never mixed. See: view turns a source into pixels that a model sees, read turns it into text. Ask:
 * inspect_image, vision_analyze and video_analyze put a question about a source to a vision model and give its answer.
 *
 * Ownership, once for all of it:
 *   - fovea_new / fovea_free and fovea_result_free are pairs; every _free accepts NULL;
 *   - a pointer returned by any other function is borrowed from its argument and lives as long as that;
 *   - except functions ending in _new that return char *: the caller frees that with free();
 *   - requests are read during the call only; nothing in them is kept.
 *
 * Zero means default: a request or options struct set to zero asks for the ordinary thing. Set them with
 * designated initialisers, so that fields added later start as zero. A struct here grows only with a new soname.
 *
 * Bad news comes in three kinds. A refusal is a result: the source cannot be shown, and the message says what to do
 * next. A fault is a negative errno value plus one sentence: no memory, broken config, no sandbox. A mistake of the
 * library is an assert. The library never prints, never exits and never aborts for want of memory.
 *
 * Threads: one fovea may be used from many threads at once. A result is immutable after it was returned.
 *
 * Processes: pictures are decoded by child processes. The library sets no signal handler and waits for its own
 * children only, but a host gets SIGCHLD for them and may see their ids from waitpid(-1). After fork(), a context
 * belongs to the parent: make a new one in the child.
 */
#ifndef FOVEA_H
#define FOVEA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FOVEA_VERSION "0.5.0"

#define FOVEA_API __attribute__((visibility("default")))

typedef struct fovea fovea;                 /* settings, reach and a small pool of confined workers */
typedef struct fovea_session fovea_session; /* one conversation: what its host is and how far it may look */
typedef struct fovea_cancel fovea_cancel;   /* ends a call from another thread */
typedef struct fovea_result fovea_result;   /* what one call gave */

/* A fault: code is a negative errno value, text one sentence. Untouched unless the call returned below 0. */
struct fovea_fault { /* wherever one is taken, NULL may stand instead */
    int code;
    char text[256];
};

/* ---------------------------------------------------------------- context */

/* Files are opened and read by child processes ("readers"), the first of which is made by the first call. A host that
 * gives up rights meanwhile (user, group, groups, capabilities) gets new ones. What else it does to itself after that
 * call (Landlock, seccomp, chroot, namespaces) does not reach those that run already: confine first, then call. */

/* What is no bitmap has to be drawn to be seen. */
enum fovea_render {
    FOVEA_RENDER_SVG = 1,
    FOVEA_RENDER_TEXT = 2, /* code and Markdown too */
    FOVEA_RENDER_PDF = 4,
    FOVEA_RENDER_VIDEO = 8,
    FOVEA_RENDER_ALL = 15,
};

struct fovea_options {
    const char *cwd;          /* what relative paths start from; default: the process's own */
    const char *const *reach; /* folders (absolute, NULL-terminated list) that may be read. Where the config sets
                                 fs_reach they narrow that and never widen it; default: config fs_reach */
    const char *config_file;  /* default: $XDG_CONFIG_HOME/fovea/config.yaml where it exists; "" reads none */
    const char *personality;  /* ID: personalities/ID/ beside the config file says which tools there are, and may lay a
                                 config.yaml of its own over the other, whose fs_reach it can only narrow */
    const char *worker_dir;   /* where the worker programs are; default: beside the program, then the installed place */
    unsigned ready_workers;   /* how many confined workers wait ahead of work; 0 starts each when needed */
    unsigned render;          /* FOVEA_RENDER_ bits: what may be drawn, where the config lets it (it does by default);
                                 0: nothing, and view of such a source is refused as render_not_allowed */
    bool no_webp;             /* never answer with WebP, for hosts that do not take it */
    bool no_cache;            /* make every picture afresh. Otherwise up to 64 MiB of them are kept: a source of the same
                                 bytes, seen in the same way, is opened and hashed but not decoded again */
};

/* Makes a context. Faults: -EINVAL (config or reach is wrong; the text says which key and line), what open(2) says of a
 * config file that cannot be read, -ENOMEM and other wants of the system. */
FOVEA_API int fovea_new(const struct fovea_options *options, fovea **ret, struct fovea_fault *fault);
FOVEA_API void fovea_free(fovea *f);

/* From now on keeps so many workers waiting, as ready_workers says: for a host that must be up at once and is asked to
 * look only later. */
FOVEA_API void fovea_ready(fovea *f, unsigned workers);

/* Whether the context shows no picture at all (images.blockImages): what would only be refused need not be read. */
FOVEA_API bool fovea_blocked(const fovea *f);

FOVEA_API const char *fovea_version(void);

/* ---------------------------------------------------------------- requests */

/* A box in the units that `space` names. Without `set` it is not there. */
struct fovea_box {
    double x, y, w, h;
    bool set;
};

/* One page, or a contact sheet of several. */
struct fovea_pages {
    int64_t first; /* from 1; 0: not said */
    int64_t last;  /* above first: up to this one; 0: first alone */
};

struct fovea_time {
    double seconds;
    bool set;
};

struct fovea_view_request {
    const char *path;        /* path, file:///path, view:ID, or with network.view an https URL */
    const void *data;        /* instead of opening path: the bytes themselves; path is then only their name */
    size_t data_len;
    struct fovea_pages page; /* of a PDF, of text, of a TIFF, ICO, HEIC or AVIF with several, or a tile of a long picture; only
                                pages of PDF and picture files can be several */
    int64_t frame;           /* from 1, of an animation or a video; not with time */
    struct fovea_time time;  /* of a video: the frame that is shown then; not with frame */
    bool sheet;              /* an animation as a contact sheet of its frames; a video is shown so anyway */
    const char *against;     /* another source: show how this one differs from it, which came before. A path or view:ID that
                                is opened, also where data is given */
    const void *against_data; /* instead of opening that: the bytes themselves */
    size_t against_len;
    struct fovea_box region; /* what part of the source (of the page, of the frame) to show; of a long picture always of the
                                whole, never of a tile */
    const char *space;       /* units of region: "source" (default: upright pixels; of a PDF points from the upper left corner,
                                of an SVG user units, or CSS pixels where the note says so, of text the units of its page),
                                "view" pixels, "unit" 0..1000 */
    const char *view;        /* with space "view": which view:ID the region was measured in */
    int64_t max_edge;        /* longest side of what is shown, in pixels */
    const char *detail;      /* "auto" (default) or "full": as much as the model takes */
    const char *model;       /* fit to this model's limits and say the tokens it will cost */
    unsigned preview_width, preview_height; /* also make raw pixels within this box, to draw on a terminal */
};

struct fovea_read_request {
    const char *path;
    const void *data; /* as in fovea_view_request */
    size_t data_len;
    int64_t offset; /* first line, from 1 */
    int64_t limit;  /* how many lines; default 2000 */
};

/* Asking. Each sends a source and a question to the model that the config, the session or the request names, and gives an
 * answer or an error; both say what it cost. */
struct fovea_inspect_request {
    const char *path;
    const char *question; /* sent word for word */
};

struct fovea_analyze_request {
    /* exactly one of the three, or data */
    const char *file_path;   /* path, file:///path or view:ID */
    const char *file_url;    /* https */
    const char *file_base64; /* canonical, "data:TYPE;base64," before it or not */
    const void *data;        /* the bytes themselves; file_path is then only their name */
    size_t data_len;
    const char *prompt;
    const char *model;       /* instead of the usual one */
    const char *format;      /* JSON: {"type":"json_schema","schema":{...}}; the answer is then an object that fits it */
    struct fovea_box region; /* in source pixels */
    struct fovea_pages page; /* of a document: only these */
    bool no_cache;           /* ask, even where the answer is known */
    bool no_native;          /* an answer in words, whatever vision.mode says: the caller has no model that sees */
};

struct fovea_video_request {
    const char *file_url, *file_path; /* exactly one */
    const char *prompt;               /* default: "Describe this video in detail." */
    const char *model;
    bool no_cache;
};

/* Each returns 0 and a result (a perception, a text, or a refusal), or a fault. For asking: fovea_session_ask. */
FOVEA_API int fovea_view(fovea *f, const struct fovea_view_request *request, fovea_result **ret,
                         struct fovea_fault *fault);
FOVEA_API int fovea_read(fovea *f, const struct fovea_read_request *request, fovea_result **ret,
                         struct fovea_fault *fault);

/*
 * Any tool by name with its arguments as JSON text. Faults besides the tool's own: -ENOENT no such tool, -EBADMSG the
 * text is not JSON. An argument that is missing, unknown or of the wrong type is a refusal that names it.
 */
FOVEA_API int fovea_call(fovea *f, const char *tool, const char *json, size_t len, fovea_result **ret,
                         struct fovea_fault *fault);

/* ---------------------------------------------------------------- sessions */

/* A session narrows and fits what its context gives, for one host. It keeps nothing of the context but a pointer, so it
 * must be freed first; it is cheap to make. View ids are the context's: any of its sessions can name them. */
struct fovea_session_options {
    const char *cwd;          /* what relative paths start from; default: the context's */
    const char *const *roots; /* folders (absolute, NULL-terminated) that narrow the context's reach; NULL: no
                                 narrowing; an empty list, or one that shares nothing with the reach: nothing is in
                                 reach */
    const char *main;         /* "PROVIDER/MODEL" that the host runs now; NULL: not known */
    bool model_unknown;       /* unless a model that we know is named, pictures also keep within images.maxPatches */
    bool no_webp;             /* as in fovea_options */
    unsigned no_render;       /* FOVEA_RENDER_ bits: what this host may not have drawn, whatever the context lets it */
    size_t max_text;          /* of one read, in bytes: whole lines up to it (a longer line is cut, which the result says) */
    size_t max_image;         /* of one view, in bytes of picture: the budget is no more than that, and a picture that
                                 cannot be made so small is refused as too_large */
    const fovea_session *like; /* takes this one's name and all that is counted for it (money, calls for one picture); and,
                                  unless cwd or roots are given, its folders, which were perhaps looked up already. It
                                  may be freed before the new one */
    const char *name;          /* [A-Za-z0-9._-]{1,64}: what it does is recorded under that name, and what it spends, also by other
                                  processes */
    const char *call;          /* with name: the id of the tool call that the next call of a tool answers, also one that ends in a
                                  fault; NULL: an open call of that tool with those arguments, or none */
    void (*on_text)(void *arg, const char *piece, size_t len); /* is shown an answer while it is made, on the thread that
                                  asks; the pieces are UTF-8 together */
    void *on_text_arg;
};
/* Looks at no file: cwd and roots are looked up by the first call, once. A root that is not there has nothing to show
 * until it is; one whose file system does not answer within two seconds has nothing to show at all. */
FOVEA_API int fovea_session_new(fovea *f, const struct fovea_session_options *options, fovea_session **ret,
                                struct fovea_fault *fault);
FOVEA_API void fovea_session_free(fovea_session *s);

/* What model the host runs now; NULL, NULL when that is not known (any more). -EINVAL, -ENOMEM. Any thread. */
FOVEA_API int fovea_session_set_main(fovea_session *s, const char *provider, const char *model);

/* fovea_call within a session. cancel may be NULL; when it strikes, the fault is -ECANCELED, also while the record is waited for. But
 * inspect_image, once the model was asked, ends with an error that says so. */
FOVEA_API int fovea_session_call(fovea_session *s, const char *tool, const char *json, size_t len, fovea_cancel *cancel,
                                 fovea_result **ret, struct fovea_fault *fault);

/* The same with a filled request struct of the tool. */
FOVEA_API int fovea_session_ask(fovea_session *s, const char *tool, const void *request, fovea_cancel *cancel,
                                fovea_result **ret, struct fovea_fault *fault);

FOVEA_API int fovea_cancel_new(fovea_cancel **ret, struct fovea_fault *fault);
FOVEA_API void fovea_cancel_free(fovea_cancel *c);
/* Ends the calls that were given c: their work is stopped and they return within 100 ms. Any thread. */
FOVEA_API void fovea_cancel_now(fovea_cancel *c);
/* Makes c good for another call. No call may be using it. */
FOVEA_API void fovea_cancel_reset(fovea_cancel *c);

/* ---------------------------------------------------------------- tools, as data */

enum fovea_type {
    FOVEA_STRING,
    FOVEA_INTEGER,
    FOVEA_BOX,    /* four numbers */
    FOVEA_CHOICE, /* a string, one of choices */
    FOVEA_OBJECT, /* a JSON object; in a request struct, its text */
    FOVEA_PAGES,  /* struct fovea_pages: a number, or words such as "1-6" */
    FOVEA_TIME,   /* struct fovea_time: seconds as a number, or words such as "1:23.5" */
    FOVEA_BOOLEAN, /* bool: on the command line a flag */
    FOVEA_URL,     /* a string of any length, which the gate of URLs judges */
};

struct fovea_field {
    const char *name;
    enum fovea_type type;
    bool required;
    size_t offset;              /* of the member in the tool's request struct */
    int64_t min, max;           /* of an integer; max of a string: its bytes (0: those of a path) */
    const char *const *choices; /* NULL-terminated, of a choice */
    const char *help;           /* one line */
};

struct fovea_tool {
    const char *name;
    const char *description; /* written for the model that picks tools */
    const struct fovea_field *fields;
    size_t n_fields;
    size_t request_size;
};

/* Every tool; the arguments of each are what --help, the man page, completions and JSON schemas are made from. */
FOVEA_API const struct fovea_tool *fovea_tools(size_t *ret_count);

/* Whether the context has the tool: a personality may leave some out. */
FOVEA_API bool fovea_tool_allowed(const fovea *f, const char *tool);

/* Sets one member of a tool's request from words, as a command line has them ("10,20,300,200" is a box, "1-6" are
 * pages, "true" is a boolean). The string is borrowed by the request. -EINVAL with a sentence when the value does not fit. */
FOVEA_API int fovea_field_parse(const struct fovea_field *field, const char *value, void *request,
                                struct fovea_fault *fault);

/* The tool's arguments as a JSON Schema object. NULL when out of memory. */
FOVEA_API char *fovea_tool_schema_new(const struct fovea_tool *tool);

/* ---------------------------------------------------------------- settings, as data */

struct fovea_setting {
    const char *key;  /* of config.yaml: "images.maxBytes" */
    const char *help; /* one line */
    char preset[32];  /* what it is when not set */
};
/* The settings that this version obeys, by index from 0; -ENOENT past the last. */
FOVEA_API int fovea_setting(size_t index, struct fovea_setting *ret);

/* A setting as it holds in this context. */
struct fovea_setting_now {
    const char *key;
    const char *value; /* as config.yaml would have it; keys of providers are masked */
    const char *from;  /* "default", "config.yaml:7", "personalities/x/config.yaml:2", "environment" */
};
/* Calls `tell` for every setting, then for every host that can be asked, then for the model that asking would take. The
 * words live until tell returns. 0, or -ENOMEM. */
FOVEA_API int fovea_settings(const fovea *f, void (*tell)(const struct fovea_setting_now *setting, void *arg), void *arg);

/* ---------------------------------------------------------------- models */

/* What is known of a model. Numbers below 0 are not known. */
struct fovea_model {
    const char *provider, *id;
    bool vision, pdf, video, tool_image;
    bool available;              /* its provider has a key, or asks for none */
    int64_t context, max_output; /* tokens */
    /* dollars a million tokens, as words ("0.25"); NULL not known */
    const char *input, *output, *cache_read, *cache_write;
    bool tiers; /* long requests cost more */
    const char *price_source, *limits_source, *modality_source;
    char room[4][32]; /* of the words above */
};
/* The models that this context knows, by index from 0; -ENOENT past the last. */
FOVEA_API int fovea_model(const fovea *f, size_t index, struct fovea_model *ret);

/*
 * Asks a host (a built-in provider, or a key of `providers`) what it offers, and calls `tell` for each model; the words live
 * until tell returns. Nothing is kept. 0, or a fault: -EINVAL no such host, -ENOTSUP none that has a list, -EACCES no key
 * or not the right one, -EPERM where images are blocked (nobody is asked then), -ENOENT no list, -EHOSTUNREACH, -ETIMEDOUT,
 * -EAGAIN and others when it does not answer. Any other call asks a host only for want of knowledge, within four seconds,
 * not again for a minute, and never where images are blocked.
 */
FOVEA_API int fovea_host_models(fovea *f, const char *host, void (*tell)(const struct fovea_model *model, void *arg),
                                void *arg, struct fovea_fault *fault);

/* Whether a model ("PROVIDER/ID") is known to have a capability: "vision", "pdf", "video", "tool_image". By exact id;
 * what is not known is no. */
FOVEA_API bool fovea_model_supports(const fovea *f, const char *model, const char *capability);

/* ---------------------------------------------------------------- results */

enum fovea_kind {
    FOVEA_PERCEPTION,
    FOVEA_TEXT,
    FOVEA_ANSWER,
    FOVEA_REFUSAL,
    FOVEA_ERROR,
};

FOVEA_API void fovea_result_free(fovea_result *r);
FOVEA_API enum fovea_kind fovea_result_kind(const fovea_result *r);

/* For people and models: a perception's note, a text's text, an answer's text, the message of a refusal or an error. */
FOVEA_API const char *fovea_result_text(const fovea_result *r);

/* A refusal's reason ("absent", "malformed", ...); NULL for any other kind. */
FOVEA_API const char *fovea_result_reason(const fovea_result *r);

/* An error's code ("input_invalid", "not_available", "execution_failed"); NULL for any other kind, and for an error of
 * inspect_image, which has words only. */
FOVEA_API const char *fovea_result_code(const fovea_result *r);

/* Whether the text holds words of a model or a provider: an answer, or an error that quotes one. They are data, and whoever
 * shows them to another model should mark them so. */
FOVEA_API bool fovea_result_untrusted(const fovea_result *r);

/* What a model said. */
struct fovea_answer {
    const char *text;
    const char *parsed;         /* JSON, where a format was asked for; else NULL */
    const char *provider, *model;
    const char *cost_usd;       /* "0.0034"; NULL not known */
    int64_t input_tokens, output_tokens; /* below 0 not known */
    bool cached;
    bool inspected;             /* by inspect_image: text alone, no envelope */
    const char *path;           /* of the source, absolute; NULL where it came without a file */
    const char *media_type;     /* of what was sent; NULL where nothing was */
    const char *note;           /* NULL none */
};
/* Fills ret (pointers borrowed from r) and returns 0; -EINVAL for any other kind. */
FOVEA_API int fovea_result_answer(const fovea_result *r, struct fovea_answer *ret);

/* The picture of a perception. */
struct fovea_image {
    const char *id;         /* view:ID; names the view later, where it was opened by path; one of a URL is fetched again */
    const char *media_type; /* image/png, image/jpeg, image/gif or image/webp; always true to the bytes */
    const uint8_t *data;
    size_t len;
    uint32_t width, height;
    uint32_t source_width, source_height; /* upright; of what is drawn, in its units (points, user units, CSS pixels), rounded:
                                             exact is what scale makes of width and height */
    double scale[2], offset[2];           /* source = offset + shown * scale, */
    bool maps;                            /* where this is set: a contact sheet or a comparison is no part of its source */
    bool sheet;                           /* several pages or frames */
    const char *question; /* of vision_analyze that was answered with pixels, for the host's own model; else NULL */
    bool again;           /* id can be named in a later call */
};
/* Fills ret_image (pointers borrowed from r) and returns 0; -EINVAL for any other kind, -ENOENT where there is none: two
 * pictures that were compared are equal, and the note says so. */
FOVEA_API int fovea_result_image(const fovea_result *r, struct fovea_image *ret_image);

/* The lines of a text. */
struct fovea_text {
    const char *text; /* as found, converted to UTF-8; a NUL follows */
    size_t len;
    uint64_t first, last; /* lines, from 1; 0, 0 when there are none */
    uint64_t total;       /* lines of the whole file */
    uint64_t cut;         /* bytes that the last line has beyond what is given (the session's max_text); usually 0 */
    const char *sha256;   /* of the whole file, in hex */
};
/* Fills ret_text (pointers borrowed from r) and returns 0; -EINVAL for any other kind. */
FOVEA_API int fovea_result_lines(const fovea_result *r, struct fovea_text *ret_text);

/* Raw RGBA rows for a terminal, where the request asked for them; -ENOENT when there are none. */
struct fovea_pixels {
    const uint8_t *rgba;
    uint32_t width, height;
};
FOVEA_API int fovea_result_preview(const fovea_result *r, struct fovea_pixels *ret_pixels);

enum { FOVEA_JSON_DATA = 1 }; /* put the picture itself in, as base64 */

/* The result as one JSON object on one line, without a newline at its end. NULL when out of memory. */
FOVEA_API char *fovea_result_json_new(const fovea_result *r, unsigned flags);

/* The result in words for the model that called the tool, as `fovea mcp` answers and the record keeps: all that is not pixels.
 * NULL when out of memory. */
FOVEA_API char *fovea_result_words_new(const fovea_result *r);

/*
 * A call and what it gave, as a terminal interface shows them: plain text, no escapes, control characters made visible.
 * The call is one line: the tool, its source and its question, which is cut to 100 columns. A result has 4 lines, or 16
 * when expanded, each cut to 120 columns, then how many more there are; of an answer also "model · media type", of a perception
 * "view:ID · media type". arguments is JSON. NULL when out of memory.
 */
FOVEA_API char *fovea_render_call_new(const char *tool, const char *arguments, size_t len);
FOVEA_API char *fovea_render_result_new(const fovea_result *r, bool expanded);

/* An entry of the record (docs/transcript.md) likewise: a line that says who speaks ("user", "assistant", or the call that a
 * result answers), then what was said, two spaces before each line: words whole, calls and results as above, a line for each
 * picture. No newline at the end. */
FOVEA_API char *fovea_render_entry_new(const char *entry, size_t len, bool expanded);

/* ---------------------------------------------------------------- money */

struct fovea_usage {
    const char *name;       /* a session ("" for all without a name), "provider/model", a day "2026-11-16" (UTC), or "total" */
    int64_t calls, failed;  /* of calls: those that brought no answer */
    int64_t input_tokens, output_tokens;
    const char *cost_usd;   /* of those whose price is known: "1.25"; NULL where none is */
    int64_t unpriced;       /* calls whose price is not known */
};
/* What was spent, by "session", "model" or "day", the latest first: calls tell for each, which must not use f. By "total":
 * one row, or none where nothing was spent. since: seconds since the epoch, 0 for all. 0, -EINVAL for another word, or a
 * fault of the store. */
FOVEA_API int fovea_usage(fovea *f, const char *by, int64_t since,
                          void (*tell)(const struct fovea_usage *row, void *arg), void *arg, struct fovea_fault *fault);

/* Forgets all answers that were kept on disk; ret_count: how many there were. */
FOVEA_API int fovea_cache_clear(fovea *f, int64_t *ret_count, struct fovea_fault *fault);

/* ---------------------------------------------------------------- the record */

/*
 * A session that has a name is kept in the record (config record.store): every call of a tool within it appends what it gave, and a
 * host appends the rest of its conversation, as neutral entries (docs/transcript.md) or by importing the requests that it
 * sends. Entries are numbered from 1. What follows needs a name: without one it is -EINVAL. Faults of the store: -EBUSY another
 * process writes for too long, -ENOSPC, -EIO, -EBADMSG something stored is damaged (the text names it), -EHOSTUNREACH and
 * others of a server, -EPROTO a record made by a newer fovea.
 *
 * Functions of the host that are called here run on the caller's thread. While they do, the record is free for others, unless it is
 * said otherwise; s itself must not be freed. During fovea_lower's write, s is locked: nothing may lower it or ask for its report.
 */

struct fovea_appended {
    int64_t first, last; /* numbers of the entries; 0, 0 where nothing was new */
    bool again;          /* the key was used before, for the same entries: nothing was appended now */
};

/*
 * Appends entries: JSON, one object, an array of them, or lines of them. All or nothing, on disk when it returns 0. key (may be
 * NULL) makes it happen once however often it is tried. Pictures among them are looked at by a worker; one that does not
 * decode is kept and never sent to a model. -EINVAL names the member that is wrong, -EEXIST the key was used for others.
 */
FOVEA_API int fovea_session_append(fovea_session *s, const char *json, size_t len, const char *key,
                                   struct fovea_appended *ret, struct fovea_fault *fault);

/* Imports a request of a wire ("anthropic", "openai-chat", "openai-responses", "gemini"), whole or its bare array. What follows the
 * stored conversation is appended; -EEXIST when it is another one (the text says where they part). */
FOVEA_API int fovea_session_import(fovea_session *s, const char *wire, const char *json, size_t len,
                                   struct fovea_appended *ret, struct fovea_fault *fault);

/* Takes pieces of an output, in order. 0, or a negative errno, which ends it and is the fault of the call. */
typedef int fovea_write(void *arg, const char *piece, size_t len);

enum { FOVEA_EXPORT_FULL = 2 }; /* an object {wire, headers, body} around the array */

/* The session as it was recorded: neutral entries, one a line, their pictures' bytes in them with FOVEA_JSON_DATA (wire NULL); or the
 * array of a wire, with nothing elided and nothing made to fit: what was imported from that wire comes out as it went in. */
FOVEA_API int fovea_session_export(fovea_session *s, const char *wire, unsigned flags, fovea_write *write, void *arg,
                                   struct fovea_fault *fault);

/* Each entry after a number, as JSON (not NUL-terminated), checked. each returns 0 to go on, above 0 to stop (which is 0 here), or a
 * negative errno, which is the fault of the call. */
FOVEA_API int fovea_session_entries(fovea_session *s, int64_t after,
                                    int (*each)(void *arg, int64_t seq, const char *json, size_t len), void *arg,
                                    struct fovea_fault *fault);

/* Whether an edit of the file would meet the text that this session has read: its last `read` of the path saw the bytes that the
 * file has now. A view does not count. 1 yes, 0 no, below 0 a fault. */
FOVEA_API int fovea_session_fresh(fovea_session *s, const char *path, struct fovea_fault *fault);

struct fovea_session_info {
    const char *name;
    int64_t entries;
    int64_t created_ms, last_ms; /* since the epoch */
    int64_t bytes;               /* of entries */
    int64_t blobs, blob_bytes;   /* pictures and documents that it uses, each counted once */
};
/* The sessions of the record, the latest first, or the one named (-ENOENT when it is not there). */
FOVEA_API int fovea_sessions(fovea *f, const char *name, void (*tell)(const struct fovea_session_info *info, void *arg),
                             void *arg, struct fovea_fault *fault);

/* Takes a session out of the record, with the bytes that no other uses. -ENOENT. */
FOVEA_API int fovea_session_delete(fovea *f, const char *name, struct fovea_fault *fault);

struct fovea_problem {
    const char *session; /* "" of none */
    int64_t entry;       /* 0 of none */
    const char *what;
    bool repaired;
};
struct fovea_checked {
    int64_t sessions, entries, blobs, bytes, problems; /* problems: that are left */
};
/* Looks at every byte of the record, or of one session; repair: makes anew what can be made from the entries. tell is called while the
 * record is held: it must not use f, and others wait for it. */
FOVEA_API int fovea_record_check(fovea *f, const char *session, bool repair,
                                 void (*tell)(const struct fovea_problem *problem, void *arg), void *arg,
                                 struct fovea_checked *ret, struct fovea_fault *fault);

/* ---------------------------------------------------------------- lowering */

struct fovea_lower_request {
    const char *model;  /* "PROVIDER/MODEL"; default: the session's main, else the one that the config names */
    const char *wire;   /* default: the provider's */
    const char *retain; /* "auto", "all", "turns:N"; default: config retention.policy */
    int64_t at;         /* as of turn N; 0: now */
    bool full;          /* an object {wire, headers, body} and not the bare array */
    bool bridge;        /* an assistant message between tool results and a user message, for hosts that need one */
    bool more;          /* only what differs from what this session was last lowered to, for the same model, wire and policy: see kept */
};
struct fovea_lowered {
    size_t kept;     /* with more: so many bytes of the earlier output still hold, and what was written follows them; else 0 */
    int64_t turn;    /* the last one */
    int64_t entries; /* that were lowered */
    int64_t tokens;  /* of input, estimated */
    int64_t images, live, elided, refit, stubbed; /* pictures and documents: all, and what became of them; refit ones are live too */
};
/*
 * Writes the messages of the next request: legal for that model, the same bytes for the same record, from the record alone.
 * Memory: the text of the session's entries, which stays with s for the next time, and one picture at a time. -EINVAL: no such model,
 * wire or policy; -EBADMSG: an entry is damaged, and is never lowered.
 */
FOVEA_API int fovea_lower(fovea_session *s, const struct fovea_lower_request *request, fovea_write *write, void *arg,
                          struct fovea_lowered *ret, struct fovea_fault *fault);

/* What the last lowering of this session left out, changed or elided, and why, as one JSON object. NULL when out of memory. */
FOVEA_API char *fovea_session_report_new(fovea_session *s);

struct fovea_repair {
    int64_t entry, part; /* part from 0 */
    const char *how;     /* "refit" or "stub" */
    bool again;          /* it was repaired before, and is taken out now */
    char why[300];
};
/* A provider refused the request that `request` lowers to: finds the picture that the error names, or else the likeliest, and
 * appends how it is repaired from now on. -ENOENT: the error is not about a picture or document. */
FOVEA_API int fovea_session_reject(fovea_session *s, const struct fovea_lower_request *request, const char *error, size_t len,
                                   struct fovea_repair *ret, struct fovea_fault *fault);

struct fovea_simulate_request {
    const char *session;  /* of the record; or */
    const char *trace;    /* a generated one: "short", "long", ... */
    const char *model, *wire;
    const char *policies; /* "all turns:1 newest:3 batch:20:8 auto", which is the default */
    const char *form;     /* "table" (default), "json", "svg" */
    int64_t base_tokens;  /* of the host's system prompt and tools; default 4000 */
};
/* What each policy would cost, request by request. */
FOVEA_API int fovea_simulate(fovea *f, const struct fovea_simulate_request *request, fovea_write *write, void *arg,
                             struct fovea_fault *fault);
/* The names of generated traces, NULL-terminated; and one of them as neutral entries, a line each, with real pictures. */
FOVEA_API const char *const *fovea_traces(void);
FOVEA_API int fovea_trace(const char *name, fovea_write *write, void *arg, struct fovea_fault *fault);

/* ---------------------------------------------------------------- health */

enum fovea_health { FOVEA_HEALTH_OK, FOVEA_HEALTH_WARN, FOVEA_HEALTH_BAD };

struct fovea_check {
    enum fovea_health health;
    const char *name;   /* "landlock" */
    const char *detail; /* "ABI 7" */
    const char *remedy; /* what to do; NULL when all is well */
};
/* Looks at what fovea needs here (kernel, workers, codecs, config) and calls `tell` for each point, in order. Returns
 * how many are FOVEA_HEALTH_BAD. f may be NULL: then only what needs no context is looked at. */
FOVEA_API int fovea_doctor(fovea *f, void (*tell)(const struct fovea_check *check, void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif

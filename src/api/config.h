/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of config.yaml. Every key is a row of one table (config_keys.c): its type, range, default and member
 * here. Keys may be nested or dotted. A wrong key or value is a fault that names it, its line, and the nearest right
 * one.
 */
#ifndef FOVEA_CONFIG_H
#define FOVEA_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "fovea.h"

struct models;

/* Who set a key. */
struct config_origin {
    enum { ORIGIN_DEFAULT, ORIGIN_FILE, ORIGIN_OVERLAY } from;
    size_t line;
};

struct config {
    char *file;       /* the file that was read; NULL when there was none */
    char *overlay;    /* that of a personality, laid over it; likewise */
    bool reach_set;   /* a file set fs_reach */
    char *reach_file; /* the last that did; NULL when none did */
    char **reach_true; /* where the folders of fs_reach truly were when they were narrowed; NULL: they were not */
    struct config_origin *origins; /* by row of config_keys */
    struct models *models;         /* what ships, with `providers` of the files over it */

    /* images.* */
    bool block_images, auto_resize;
    int64_t max_dimension, max_bytes, jpeg_quality, min_dimension;
    int64_t max_patches;         /* for hosts whose model is not known; 0 off */
    int64_t question_timeout_ms; /* 0 none */

    int64_t view_max_bytes, view_max_video_bytes, view_timeout_ms;
    char **fs_reach; /* absolute folders, NULL-terminated; never NULL */

    bool network_view;
    char **network_allow, **network_deny; /* NULL-terminated; never NULL */
    char *network_ca_file;
    bool render_svg, render_text, render_pdf, render_video;

    /* Strings below are NULL when not set and without a default. */
    char *provider, *model, *api_key, *api_key_env, *base_url;
    /* auxiliary.vision.* */
    char *vision_model, *vision_provider, *vision_api_key, *vision_api_key_env, *vision_base_url;
    char *role_vision, *role_default; /* modelRoles.* */
    bool ocr;
    char *vision_mode;                    /* auto, native or text */
    int64_t max_output;                   /* tokens of one answer; 0: the model's own */
    int64_t max_calls_per_image;          /* in a session; 0 any */
    int64_t cache_bytes;                  /* of answers on disk; 0 none */
    char *telemetry_file;
    int64_t usd_per_session, usd_per_day; /* nano-dollars; below 0 none */

    char *retention_policy; /* auto, all or turns:N */
    char *record_store;     /* sqlite:..., postgresql://... */
    int64_t record_max_attachment_bytes;
};

/* Appends $VARIABLE/fovea, else ~/USUAL/fovea; nothing where there is no home. 0 or the buffer's error. */
int config_folder(const char *variable, const char *usual, struct buf *ret);

/* $XDG_CONFIG_HOME/fovea/config.yaml, else ~/.config/fovea/config.yaml. NULL without a home or memory. */
char *config_path_new(void);

/* The folder that the config file is in, or would be: of this path, else the usual one (path NULL or ""). Absolute, ""
 * without a home. NULL without memory or a working folder. */
char *config_beside_new(const char *path);

/*
 * Reads a file. path NULL: the usual one, and the defaults where it is missing; "": none, only the defaults; a named
 * file must exist. cwd is what ${cwd} means in fs_reach, home what ${home} and ~/ mean (NULL: none).
 * Faults: -EINVAL (the text says file, line and key), -ENOENT, -EFBIG, -EACCES or another of open(2), -ENOMEM.
 */
int config_load(const char *path, const char *cwd, const char *home, struct config *ret, struct fovea_fault *fault);

/* Lays a further file over c: what it sets replaces what is there (of lists, all of it), but fs_reach, where a file set
 * it before, is narrowed. A missing one changes nothing.
 * name is what faults call it. After a fault c is good only to be done with. */
int config_overlay(const char *path, const char *name, const char *cwd, const char *home, struct config *c,
                   struct fovea_fault *fault);

/*
 * Narrows fs_reach to the folders that it shares with these (absolute, NULL-terminated): each must lie in one of its
 * folders, or contain some. Links are followed first. Where no file set fs_reach, they take its place. -EINVAL names
 * the one that lies outside.
 */
int config_narrow(struct config *c, const char *const *folders, struct fovea_fault *fault);

/* The same for the fs_reach that a further file set, which is in c now, where `before` (taken over) was: what both share
 * stays. -EINVAL names both files where that is nothing. */
int config_narrow_to_file(struct config *c, const char *file, char **before, struct fovea_fault *fault);

/*
 * The text of a file that settings are in, read whole (LIMIT_CONFIG_BYTES), and what fstat(2) says of it. name is what
 * faults call it. 0, 1 when it is optional and not there, or a fault.
 */
int config_read(const char *path, const char *name, bool optional, struct buf *text, struct stat *ret_stat,
                struct fovea_fault *fault);

/* Puts a copy of values (NULL-terminated) in place of a list of the config. */
int config_list_set(char ***list, const char *const *values, struct fovea_fault *fault);

int config_defaults(const char *cwd, struct config *ret, struct fovea_fault *fault);

/* Frees the members and wipes the keys. Content with NULL and with a zeroed struct. */
void config_done(struct config *c);

#endif

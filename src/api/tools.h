/* SPDX-License-Identifier: Apache-2.0 */
/* Tools by name: the table behind fovea_tools(), and arguments from JSON. */
#ifndef FOVEA_TOOLS_H
#define FOVEA_TOOLS_H

#include <jansson.h>

#include "api/call.h"

/* How a tool is run once its request is filled in. */
typedef int tool_run(const struct call *c, const void *request, fovea_result **ret, struct fovea_fault *fault);

/* The tool of that name and how it runs; NULL for an unknown one. */
const struct fovea_tool *tool_find(const char *name, tool_run **ret_run);

/* The rows of the table. */
int view_run(const struct call *c, const void *request, fovea_result **ret, struct fovea_fault *fault);
int read_run(const struct call *c, const void *request, fovea_result **ret, struct fovea_fault *fault);
int inspect_run(const struct call *c, const void *request, fovea_result **ret, struct fovea_fault *fault);
int analyze_run(const struct call *c, const void *request, fovea_result **ret, struct fovea_fault *fault);
int video_run(const struct call *c, const void *request, fovea_result **ret, struct fovea_fault *fault);

/* Runs a tool by its name: arguments as JSON (fovea_call), or a request that is filled in. A tool that the context does
 * not have is as unknown as one that nobody has: -ENOENT. */
int tool_call(const struct call *c, const char *tool, const char *json, size_t len, fovea_result **ret,
              struct fovea_fault *fault);
int tool_ask(const struct call *c, const char *tool, const void *request, fovea_result **ret, struct fovea_fault *fault);

/*
 * Fills request (request_size zero bytes) from a JSON object; strings stay borrowed from it, and an object that the tool
 * wants as text is replaced there by its text. Returns 0 with *ret_refusal
 * NULL, or with the refusal of an argument that is missing, unknown or of the wrong type; a fault when out of memory.
 */
int tool_arguments(const struct fovea_tool *tool, json_t *arguments, void *request, fovea_result **ret_refusal,
                   struct fovea_fault *fault);

/* The other way round: what is set in a request, as the arguments that would set it. NULL when out of memory. */
json_t *tool_arguments_new(const char *tool, const void *request);

/* A refusal of arguments, taken over, in the tool's own shape: ask tools have errors. NULL is a fault: out of memory. */
int tool_reject(const char *tool, fovea_result *refusal, fovea_result **ret, struct fovea_fault *fault);

/*
 * Checks a request that a C caller filled in, by the same table. 0 when all is well, 1 with the refusal, or a fault.
 */
int tool_check(const char *tool, const void *request, fovea_result **ret_refusal, struct fovea_fault *fault);

#endif

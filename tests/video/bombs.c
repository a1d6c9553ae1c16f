/* SPDX-License-Identifier: Apache-2.0 */
/* Videos that are built to do harm. */
#include "mkvideo.h"

const struct bomb bombs[] = {
    {.name = NULL},
};

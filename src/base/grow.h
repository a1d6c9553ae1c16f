/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow, and name their ceiling where they do. */
#ifndef FOVEA_GROW_H
#define FOVEA_GROW_H

#include <stddef.h>

/* Makes room for one more element behind the first n of the array that *list is (NULL at first, with *room 0); doubles it. 0, -ENOMEM,
 * or -EFBIG when there are most of them; both leave it as it was. The caller frees it. */
int grow(void *list, size_t n, size_t *room, size_t size, size_t most);

/* Of a list and its room by their names. */
#define GROW(list, n, room, most) grow(&(list), (n), &(room), sizeof *(list), (most))

#endif

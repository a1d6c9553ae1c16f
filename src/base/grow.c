/* SPDX-License-Identifier: Apache-2.0 */
/* Growing arrays: see grow.h. */
#include "base/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { FIRST_ROOM = 16 };

int grow(void *list, size_t n, size_t *room, size_t size, size_t most)
{
    void *now;
    if (n >= most)
        return -EFBIG;
    if (n < *room)
        return 0;
    memcpy(&now, list, sizeof now); /* whatever it points to, it is a pointer */
    size_t more = MIN(*room > most / 2 ? most : MAX(2 * *room, (size_t)FIRST_ROOM), most);
    void *grown = reallocarray(now, more, size);
    if (!grown)
        return -ENOMEM;
    memcpy(list, &grown, sizeof grown);
    *room = more;
    return 0;
}

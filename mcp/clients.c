/* SPDX-License-Identifier: Apache-2.0 */
#include "clients.h"
const struct client_row *client_known(const char *name)
{
    (void)name;
    return NULL;
}

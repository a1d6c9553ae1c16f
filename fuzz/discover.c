/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a host says of its models, from any bytes: ids that can be printed and stand once, or no list.
 * about: src/provider/discover_read.c
 */
#include "fuzz.h"

#include "provider/discover.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct discover_list l = {0};
    struct discovered show = {0}, props = {0};
    if (discover_read_list((const char *)data, len, &l) == 0)
        for (size_t i = 0; i < l.n; i++) {
            CLAIM(*l.rows[i].id && strlen(l.rows[i].id) < LIMIT_MODEL_ID && l.rows[i].context >= 0);
            for (size_t k = 0; k < i; k++)
                CLAIM(strcmp(l.rows[i].id, l.rows[k].id) != 0);
        }
    discover_list_done(&l);
    if (discover_read_show((const char *)data, len, &show) == 0)
        CLAIM(show.told && show.context >= 0);
    if (discover_read_props((const char *)data, len, &props) == 0)
        CLAIM(props.context >= 0);
    return 0;
}

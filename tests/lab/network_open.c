/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network_fetch with its gate broken: every address is public, no name is near. It exists to show that the lab would see it. The
 * linker puts these in the place of the real ones (--wrap), in this program alone.
 */
#include "network_fetch.c"

enum net_reason __wrap_netaddr_judge(const struct netaddr *a);
enum net_reason __wrap_netaddr_judge_answer(const struct netaddr *a);

enum net_reason __wrap_netaddr_judge(const struct netaddr *a)
{
    (void)a;
    return NET_OK;
}

enum net_reason __wrap_netaddr_judge_answer(const struct netaddr *a)
{
    (void)a;
    return NET_OK;
}

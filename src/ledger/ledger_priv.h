/* SPDX-License-Identifier: Apache-2.0 */
/* What a ledger is made of, for the files of this room. */
#ifndef FOVEA_LEDGER_PRIV_H
#define FOVEA_LEDGER_PRIV_H

#include "ledger/ledger.h"
#include "ledger/store.h"

struct ledger {
    struct store usage, answers;
    uint64_t cache_bytes;
};

extern const struct store_kind usage_kind, answers_kind;

#endif

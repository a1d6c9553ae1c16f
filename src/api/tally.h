/* SPDX-License-Identifier: Apache-2.0 */
/* What one session has used up, as far as this process knows: money, and questions about each picture. Shared by all
 * sessions that are like another one. Any thread. */
#ifndef FOVEA_TALLY_H
#define FOVEA_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sha256.h"

struct tally;

/* NULL when out of memory. */
struct tally *tally_new(void);
struct tally *tally_ref(struct tally *t);
void tally_unref(struct tally *t);

void tally_spend(struct tally *t, int64_t nano);
int64_t tally_spent(struct tally *t);

/* Counts one more question about a picture, unless there were `most` already. One that came to nothing is given back. */
bool tally_picture(struct tally *t, const uint8_t sha256[SHA256_LEN], int64_t most);
void tally_give_back(struct tally *t, const uint8_t sha256[SHA256_LEN]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that ship. */
#ifndef FOVEA_MODEL_TABLE_H
#define FOVEA_MODEL_TABLE_H

#include "model/models.h"

extern const struct model model_table[];
extern const size_t model_table_count;

extern const struct provider provider_table[];
extern const size_t provider_table_count;

#endif

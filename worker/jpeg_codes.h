/* SPDX-License-Identifier: Apache-2.0 */
/* Huffman codes for JPEG that are known before the picture is. */
#ifndef FOVEA_JPEG_CODES_H
#define FOVEA_JPEG_CODES_H

struct jpeg_compress_struct;

/* Sets the codes for drawn pictures, after jpeg_set_defaults: what is written then leaves in one pass. */
void jpeg_codes_drawn(struct jpeg_compress_struct *j);

#endif

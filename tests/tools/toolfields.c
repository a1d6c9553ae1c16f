/* SPDX-License-Identifier: Apache-2.0 */
/* toolfields: one line for each argument of each tool, "TOOL<TAB>ARGUMENT<TAB>choice|choice". Linked with libfovea.a
 * alone, as any program would be. */
#include <fovea.h>
#include <stdio.h>

int main(void)
{
    size_t n;
    const struct fovea_tool *tools = fovea_tools(&n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < tools[i].n_fields; j++) {
            const struct fovea_field *field = &tools[i].fields[j];
            printf("%s\t%s\t", tools[i].name, field->name);
            for (const char *const *c = field->choices; c && *c; c++)
                printf("%s%s", c == field->choices ? "" : "|", *c);
            putchar('\n');
        }
    return 0;
}

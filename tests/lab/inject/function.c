/* SPDX-License-Identifier: Apache-2.0 */
/* Where a function of this program lies, by the symbols in its own file: those that are static are in no other table. */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "inject.h"

extern const char __executable_start[];

/* What a compiler cuts off a function has its name and a dot behind it. */
static bool is_called(const char *symbol, const char *name)
{
    size_t len = strlen(name);
    return !strncmp(symbol, name, len) && (!symbol[len] || symbol[len] == '.');
}

static size_t look_through(const char *file, const Elf64_Shdr *table, const char *names, const char *name, struct inject_range *ret)
{
    const Elf64_Sym *symbols = (const Elf64_Sym *)(file + table->sh_offset);
    size_t n = 0;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols && n < INJECT_RANGES; i++) {
        const char *low = __executable_start + symbols[i].st_value;
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_size && is_called(names + symbols[i].st_name, name))
            ret[n++] = (struct inject_range){low, low + symbols[i].st_size};
    }
    return n;
}

size_t inject_function(const char *name, struct inject_range ret[INJECT_RANGES])
{
    struct stat st;
    size_t n = 0;
    auto_close int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const char *file = fd < 0 || fstat(fd, &st) < 0 ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file == MAP_FAILED)
        return 0;
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + head->e_shoff);
    for (size_t i = 0; i < head->e_shnum && !n; i++)
        if (sections[i].sh_type == SHT_SYMTAB)
            n = look_through(file, &sections[i], file + sections[sections[i].sh_link].sh_offset, name, ret);
    (void)munmap((void *)file, (size_t)st.st_size);
    return n;
}

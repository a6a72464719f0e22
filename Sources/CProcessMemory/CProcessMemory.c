#define _GNU_SOURCE
#include "CProcessMemory.h"

#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// Whether the dynamic linker has written to segments that are mapped without the right to write.
static bool has_text_relocations(const struct dl_phdr_info *object) {
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[index];
        if (header->p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->dlpi_addr + header->p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_TEXTREL) return true;
            if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0) return true;
        }
    }
    return false;
}

static int release_segments(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    (void)context;
    // The kernel's own object lies in no file.
    if (strncmp(object->dlpi_name, "linux-", 6) == 0 || has_text_relocations(object)) return 0;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[index];
        // A segment that may be written to holds what the start has computed.
        if (header->p_type != PT_LOAD || (header->p_flags & PF_W) != 0) continue;
        const uintptr_t start = object->dlpi_addr + header->p_vaddr;
        const uintptr_t first = (start + page - 1) & ~(page - 1);
        const uintptr_t end = (start + header->p_filesz) & ~(page - 1);
        if (end > first) madvise((void *)first, end - first, MADV_DONTNEED);
    }
    return 0;
}

void release_unused_memory(void) {
    malloc_trim(0);
    // Holds the dynamic linker's lock, so that no library goes away meanwhile.
    dl_iterate_phdr(release_segments, NULL);
}

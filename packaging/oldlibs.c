// Names that glibc 2.38 and GCC 13's libstdc++ brought, for a Swift runtime that runs with Debian 12's older ones.
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// C23 reads binary literals too; C17's functions do what the runtime needs of these.
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }
unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return strtoull(text, end, base); }

int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vsscanf(text, format, arguments);
    va_end(arguments);
    return count;
}

size_t strlcpy(char *destination, const char *source, size_t size) {
    size_t length = strlen(source);
    if (size > 0) {
        size_t copied = length < size ? length : size - 1;
        memcpy(destination, source, copied);
        destination[copied] = 0;
    }
    return length;
}

size_t strlcat(char *destination, const char *source, size_t size) {
    size_t length = strnlen(destination, size);
    if (length == size) return size + strlen(source);
    return length + strlcpy(destination + length, source, size - length);
}

// Makes std::cout ready. The older library does so for each user of <iostream>; the runtime has none.
void _ZSt21ios_base_library_initv(void) {}

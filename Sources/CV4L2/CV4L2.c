#define _GNU_SOURCE
#include "CV4L2.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int facet_v4l2_open(const char *path) { return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC); }

int facet_v4l2_ioctl(int fd, unsigned long request, void *argument) { return v4l2_ioctl(fd, request, argument); }

int facet_make_private(void *base, size_t length) {
    void *copy = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) return -1;
    memcpy(copy, base, length);
    if (mremap(copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, base) != MAP_FAILED) return 0;
    munmap(copy, length);
    return -1;
}

void facet_v4l2_silence(void) {
    if (!v4l2_log_file) v4l2_log_file = fopen("/dev/null", "we");
}

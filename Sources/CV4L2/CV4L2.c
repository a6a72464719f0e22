#define _GNU_SOURCE
#include "CV4L2.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libv4l2.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

int facet_v4l2_open(const char *path) {
    return TEMP_FAILURE_RETRY(open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC));
}

// The functions of libv4l2, once it is loaded. A camera's thread may call another one's while the library is loaded:
// until all are set, `library` is null.
static struct {
    typeof(v4l2_fd_open) *fd_open;
    typeof(v4l2_ioctl) *ioctl;
    typeof(v4l2_mmap) *mmap;
    typeof(v4l2_munmap) *munmap;
    typeof(v4l2_close) *close;
} functions;
static _Atomic(void *) library;
static pthread_once_t loading = PTHREAD_ONCE_INIT;

static void load(void) {
    // Its ABI has been the same since 2009.
    void *loaded = dlopen("libv4l2.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!loaded) return;
    functions.fd_open = (typeof(functions.fd_open))dlsym(loaded, "v4l2_fd_open");
    functions.ioctl = (typeof(functions.ioctl))dlsym(loaded, "v4l2_ioctl");
    functions.mmap = (typeof(functions.mmap))dlsym(loaded, "v4l2_mmap");
    functions.munmap = (typeof(functions.munmap))dlsym(loaded, "v4l2_munmap");
    functions.close = (typeof(functions.close))dlsym(loaded, "v4l2_close");
    // Errors come back as errno: it need not write them to standard error too.
    FILE **log = dlsym(loaded, "v4l2_log_file");
    if (log && !*log) *log = fopen("/dev/null", "we");
    if (functions.fd_open && functions.ioctl && functions.mmap && functions.munmap && functions.close) library = loaded;
}

int facet_v4l2_convert(int fd) {
    pthread_once(&loading, load);
    if (library) return TEMP_FAILURE_RETRY(functions.fd_open(fd, 0));
    errno = ELIBACC;
    return -1;
}

int facet_v4l2_ioctl(int fd, unsigned long request, void *argument) {
    return TEMP_FAILURE_RETRY(library ? functions.ioctl(fd, request, argument) : ioctl(fd, request, argument));
}

void *facet_v4l2_mmap(size_t length, int fd, int64_t offset) {
    // Readable and writable: libv4l2 refuses another protection for buffers it converts into.
    const int protection = PROT_READ | PROT_WRITE;
    return library ? functions.mmap(NULL, length, protection, MAP_SHARED, fd, offset)
                   : mmap(NULL, length, protection, MAP_SHARED, fd, offset);
}

int facet_v4l2_munmap(void *base, size_t length) {
    return library ? functions.munmap(base, length) : munmap(base, length);
}

int facet_v4l2_close(int fd) { return library ? functions.close(fd) : close(fd); }

int facet_make_private(void *base, size_t length) {
    void *copy = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) return -1;
    memcpy(copy, base, length);
    if (mremap(copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, base) != MAP_FAILED) return 0;
    munmap(copy, length);
    return -1;
}

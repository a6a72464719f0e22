// Makes system calls of a program fail on demand, for FaultTests: loaded with LD_PRELOAD into facetd.
//
// The file that FACET_FAULTS names is shared with the test: four 32-bit numbers that say which call fails, on what kind of
// descriptor, with which errno, and how often. Each call that fails counts the last one down, so that the test sees when
// the fault was met.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// As in FaultTests.
enum call { NONE, READ, WRITE, SYNC, SOCKET };
// Negative kinds; a positive one is the port at the other end of a connection.
enum kind { ANY = 0, REGULAR = -1 };

struct control {
    atomic_int call, kind, error, left;
};

static struct control *control(void) {
    static struct control *shared;
    if (shared) return shared;
    const char *path = getenv("FACET_FAULTS");
    int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    void *(*real_mmap)(void *, size_t, int, int, int, off_t) = dlsym(RTLD_NEXT, "mmap");
    int file = path ? real_open(path, O_RDWR | O_CLOEXEC) : -1;
    static struct control none;
    if (file < 0) return shared = &none;
    void *memory = real_mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return shared = memory == MAP_FAILED ? &none : memory;
}

static int kind_of(int descriptor) {
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    if (getpeername(descriptor, (struct sockaddr *)&peer, &length) == 0 && peer.sin_family == AF_INET)
        return ntohs(peer.sin_port);
    struct stat status;
    if (fstat(descriptor, &status) != 0) return ANY;
    return S_ISREG(status.st_mode) ? REGULAR : ANY;
}

// Whether this call is to fail; errno is set then.
static int fails(enum call call, int descriptor) {
    struct control *faults = control();
    if (atomic_load(&faults->call) != (int)call || atomic_load(&faults->left) <= 0) return 0;
    int kind = atomic_load(&faults->kind);
    if (kind != ANY && (descriptor < 0 || kind_of(descriptor) != kind)) return 0;
    if (atomic_fetch_sub(&faults->left, 1) <= 0) return 0;
    errno = atomic_load(&faults->error);
    return 1;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define WRAP(call, descriptor, result, name, parameters, arguments) \
    result name parameters { \
        REAL(name); \
        return fails(call, descriptor) ? -1 : real arguments; \
    }

WRAP(READ, fd, ssize_t, read, (int fd, void *bytes, size_t count), (fd, bytes, count))
WRAP(READ, fd, ssize_t, recv, (int fd, void *bytes, size_t count, int flags), (fd, bytes, count, flags))
WRAP(WRITE, fd, ssize_t, write, (int fd, const void *bytes, size_t count), (fd, bytes, count))
WRAP(WRITE, fd, ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
WRAP(WRITE, fd, ssize_t, send, (int fd, const void *bytes, size_t count, int flags), (fd, bytes, count, flags))
WRAP(WRITE, fd, ssize_t, pwrite64, (int fd, const void *bytes, size_t count, off64_t at), (fd, bytes, count, at))
WRAP(SYNC, fd, int, fsync, (int fd), (fd))
WRAP(SYNC, fd, int, fdatasync, (int fd), (fd))
WRAP(SOCKET, -1, int, socket, (int domain, int type, int protocol), (domain, type, protocol))

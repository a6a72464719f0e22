// Makes system calls of a program fail on demand, for FaultTests: loaded with LD_PRELOAD into facetd.
//
// The file that FACET_FAULTS names is shared with the test. It holds orders of four 32-bit numbers: which call fails,
// in what place, with which errno, and how often. Each failure counts the last one down, so that the test sees when it
// was met.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// As in FaultTests.
enum call { NONE, READ, WRITE, SYNC, SOCKET, OPEN, MAP, POLL };
// A positive place is the port at the other end of a connection.
enum place { ANYWHERE = 0, OUTBOX = -1 };
enum { ORDERS = 6 };

struct order {
    atomic_int call, place, error, left;
};

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int real_open(const char *path, int flags) {
    REAL(open);
    return real(path, flags);
}

static void *real_map(size_t length, int descriptor) {
    REAL(mmap);
    return real(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
}

static struct order *orders(void) {
    static struct order *shared, none[ORDERS];
    if (shared) return shared;
    const char *path = getenv("FACET_FAULTS");
    int file = path ? real_open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return shared = none;
    void *memory = real_map(sizeof none, file);
    close(file);
    return shared = memory == MAP_FAILED ? none : memory;
}

static int place_of(int descriptor) {
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    if (getpeername(descriptor, (struct sockaddr *)&peer, &length) == 0)
        return peer.sin_family == AF_INET ? ntohs(peer.sin_port) : ANYWHERE;
    char link[32], path[512];
    strcpy(link, "/proc/self/fd/");
    char *end = link + strlen(link), digits[12], *digit = digits + sizeof digits;
    *--digit = 0;
    do *--digit = (char)('0' + descriptor % 10); while (descriptor /= 10);
    strcpy(end, digit);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count <= 0) return ANYWHERE;
    path[count] = 0;
    return strstr(path, "outbox.sqlite") ? OUTBOX : ANYWHERE;
}

// Whether this call is to fail; errno is set then. A path is looked at where there is no descriptor yet.
static int fails(enum call call, int descriptor, const char *path) {
    struct order *list = orders();
    int saved = errno, place = 0, is_known = 0;
    for (int index = 0; index < ORDERS; index++) {
        struct order *order = &list[index];
        if (atomic_load(&order->call) != (int)call || atomic_load(&order->left) <= 0) continue;
        int wanted = atomic_load(&order->place);
        if (wanted != ANYWHERE) {
            if (!is_known) {
                place = path ? (strstr(path, "outbox.sqlite") ? OUTBOX : ANYWHERE)
                    : descriptor >= 0 ? place_of(descriptor) : ANYWHERE;
                is_known = 1;
            }
            if (place != wanted) continue;
        }
        if (atomic_fetch_sub(&order->left, 1) <= 0) continue;
        errno = atomic_load(&order->error);
        return 1;
    }
    errno = saved;
    return 0;
}

#define WRAP(call, descriptor, result, name, parameters, arguments) \
    result name parameters { \
        REAL(name); \
        return fails(call, descriptor, NULL) ? (result)-1 : real arguments; \
    }

WRAP(READ, fd, ssize_t, read, (int fd, void *bytes, size_t count), (fd, bytes, count))
WRAP(READ, fd, ssize_t, pread64, (int fd, void *bytes, size_t count, off64_t at), (fd, bytes, count, at))
WRAP(READ, fd, ssize_t, recv, (int fd, void *bytes, size_t count, int flags), (fd, bytes, count, flags))
WRAP(WRITE, fd, ssize_t, write, (int fd, const void *bytes, size_t count), (fd, bytes, count))
WRAP(WRITE, fd, ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
WRAP(WRITE, fd, ssize_t, send, (int fd, const void *bytes, size_t count, int flags), (fd, bytes, count, flags))
WRAP(WRITE, fd, ssize_t, pwrite64, (int fd, const void *bytes, size_t count, off64_t at), (fd, bytes, count, at))
WRAP(SYNC, fd, int, fsync, (int fd), (fd))
WRAP(SYNC, fd, int, fdatasync, (int fd), (fd))
WRAP(SOCKET, -1, int, socket, (int domain, int type, int protocol), (domain, type, protocol))
WRAP(POLL, -1, int, poll, (struct pollfd *list, nfds_t count, int timeout), (list, count, timeout))
WRAP(MAP, fd, void *, mmap, (void *to, size_t n, int prot, int flags, int fd, off_t at), (to, n, prot, flags, fd, at))
WRAP(MAP, fd, void *, mmap64, (void *to, size_t n, int prot, int flags, int fd, off64_t at), (to, n, prot, flags, fd, at))

#define WRAP_OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
        va_end(list); \
        return fails(OPEN, -1, path) ? -1 : real(path, flags, mode); \
    }
WRAP_OPEN(open)
WRAP_OPEN(open64)

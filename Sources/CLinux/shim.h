// Calls of Linux that Swift's Glibc module lacks.
#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// prctl() is variadic, which Swift cannot call.
static inline void thread_name_set(const char *name)
{
    prctl(PR_SET_NAME, name);
}

// Calls of Linux that Swift's Glibc module lacks.
#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timex.h>

// prctl() is variadic, which Swift cannot call.
static inline void thread_name_set(const char *name)
{
    prctl(PR_SET_NAME, name);
}

// Whether the kernel says that its clock does not follow a time server; the limit of 16 s is systemd's (ntp_synced).
static inline int clock_is_adrift(void)
{
    struct timex state = {0};
    return adjtimex(&state) >= 0 && state.maxerror >= 16000000;
}

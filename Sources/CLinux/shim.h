// Calls of Linux that Swift's Glibc module lacks.
#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timex.h>

// Declared only for _GNU_SOURCE in <spawn.h> (since glibc 2.34) and <unistd.h>; under names of their own, so that they
// never meet those.
int spawn_close_from(void *actions, int first) __asm__("posix_spawn_file_actions_addclosefrom_np");
int pipe_with_flags(int ends[2], int flags) __asm__("pipe2");
// Declared only for _XOPEN_SOURCE in <wchar.h>.
int cells_of_character(__WCHAR_TYPE__ character) __asm__("wcwidth");

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

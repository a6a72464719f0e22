// Reports to the thread sanitizer what happens in the slow paths of Swift's Mutex.
//
// Synchronization.Mutex takes and frees an uncontended lock in code that is compiled into its users, and so is checked.
// A contended one goes through functions of libswiftSynchronization.so, which is not compiled for the sanitizer: it
// does not see that the lock was taken there, and reports each access behind it as a race. This library is loaded
// before that one (LD_PRELOAD, see deploy/test) and passes on what happens. Calling convention: Swift's, self in the
// context register.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SELF void *self __attribute__((swift_context))
#define SWIFT __attribute__((swiftcall))

// Exported by every program built with the sanitizer; absent in others that inherit the preloading.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// Synchronization._MutexHandle._lockSlow(Swift.UInt32) -> ()
SWIFT void lock_slow(uint32_t thread, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void lock_slow(uint32_t thread, SELF) {
    static SWIFT void (*original)(uint32_t, SELF);
    if (!original) original = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    original(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

// Synchronization._MutexHandle._unlockSlow() -> ()
SWIFT void unlock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
SWIFT void unlock_slow(SELF) {
    static SWIFT void (*original)(SELF);
    if (!original) original = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    if (__tsan_release) __tsan_release(self);
    original(self);
}

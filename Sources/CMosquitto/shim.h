#include <mosquitto.h>
#include <mqtt_protocol.h>

// libmosquitto starts libcrypto, which has to be told something first.
#include <openssl/crypto.h>

// Two calls of Linux that the network thread needs and that Swift's Glibc module lacks.
#include <sys/eventfd.h>
#include <sys/prctl.h>

// prctl() is variadic, which Swift cannot call.
static inline void thread_name_set(const char *name)
{
    prctl(PR_SET_NAME, name);
}

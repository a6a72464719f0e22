#define _GNU_SOURCE
#include "CLiteRT.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const LiteRtFunctions *LiteRtFunctionsLoad(const char *path, const char **reason) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        *reason = dlerror();
        return NULL;
    }
    LiteRtFunctions *functions = malloc(sizeof *functions);
    if (functions == NULL) {
        *reason = "out of memory";
        return NULL;
    }
#define LITERT_FIND(result, field, symbol, parameters) \
    *(void **)&functions->field = dlsym(library, #symbol); \
    if (functions->field == NULL) { \
        free(functions); \
        *reason = "it has no function " #symbol; \
        return NULL; \
    }
    LITERT_FUNCTIONS(LITERT_FIND)
#undef LITERT_FIND
    return functions;
}

static const char notice[] = "INFO: Created TensorFlow Lite XNNPACK delegate";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The stream has a buffer for a line: what comes here is one.
static ssize_t pass_on(void *context, const char *bytes, size_t count) {
    if (count >= sizeof notice - 1 && memcmp(bytes, notice, sizeof notice - 1) == 0) return (ssize_t)count;
    size_t passed = 0;
    while (passed < count) {
        ssize_t written = write(STDERR_FILENO, bytes + passed, count - passed);
        if (written < 0 && errno == EINTR) continue;
        // fopencookie(3): fewer bytes than wanted, or 0, say that it failed; a negative number must not be returned.
        if (written <= 0) break;
        passed += (size_t)written;
    }
    return (ssize_t)passed;
}

LiteRtStatus LiteRtCompileQuietly(
    const LiteRtFunctions *functions, LiteRtEnvironment environment, LiteRtModel model, LiteRtOptions options,
    LiteRtCompiledModel *out
) {
    // Stays open: another thread may be writing to it when the usual one is back.
    static FILE *filter;
    pthread_mutex_lock(&lock);
    if (filter == NULL) {
        filter = fopencookie(NULL, "w", (cookie_io_functions_t){.write = pass_on});
        if (filter != NULL) setvbuf(filter, NULL, _IOLBF, BUFSIZ);
    }
    FILE *usual = stderr;
    if (filter != NULL) stderr = filter;
    LiteRtStatus status = functions->create_compiled_model(environment, model, options, out);
    stderr = usual;
    if (filter != NULL) fflush(filter);
    pthread_mutex_unlock(&lock);
    return status;
}

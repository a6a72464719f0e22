#include "CLiteRT.h"

#include <dlfcn.h>
#include <stdlib.h>

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

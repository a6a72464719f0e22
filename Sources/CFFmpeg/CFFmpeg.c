#include "CFFmpeg.h"

#include <dlfcn.h>

static FFmpegFunctions functions;

// Lazily bound: a clip needs a small part of what these libraries and their hundred dependencies import.
#define LOAD(library, version) dlopen("lib" #library ".so." AV_STRINGIFY(version), RTLD_LAZY | RTLD_LOCAL)

#define OPEN(library, version) \
    void *library = LOAD(library, version); \
    if (library == NULL) { \
        *reason = dlerror(); \
        return NULL; \
    }

#define FIND(library, function) \
    *(void **)&functions.function = dlsym(library, #function); \
    if (functions.function == NULL) { \
        *reason = "lib" #library " has no function " #function; \
        return NULL; \
    }

void FFmpegCodecsLoad(void) { LOAD(avcodec, LIBAVCODEC_VERSION_MAJOR); }

const FFmpegFunctions *FFmpegFunctionsLoad(const char **reason) {
    OPEN(avutil, LIBAVUTIL_VERSION_MAJOR)
    OPEN(avcodec, LIBAVCODEC_VERSION_MAJOR)
    OPEN(avformat, LIBAVFORMAT_VERSION_MAJOR)
    OPEN(swscale, LIBSWSCALE_VERSION_MAJOR)
    FACET_FFMPEG_FUNCTIONS(FIND)
    return &functions;
}

#include "CFFmpeg.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static FFmpegFunctions functions;
static _Thread_local char newest_error[256];

static void keep_error(void *context, int level, const char *format, va_list arguments) {
    // What a Matroska file calls a codec that FFmpeg does not know is said there and nowhere else.
    if (level > AV_LOG_ERROR && strncmp(format, "Unknown/unsupported AVCodecID", 29) != 0) return;
    vsnprintf(newest_error, sizeof newest_error, format, arguments);
    newest_error[strcspn(newest_error, "\n")] = 0;
}

const char *FFmpegNewestError(void) { return newest_error; }

void FFmpegForgetErrors(void) {
    // Again: GStreamer's plugin of FFmpeg, in the same process, sets its own.
    functions.av_log_set_callback(keep_error);
    newest_error[0] = 0;
}

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
    functions.av_log_set_callback(keep_error);
    return &functions;
}

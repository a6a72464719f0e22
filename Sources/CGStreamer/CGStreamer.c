#include "CGStreamer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The part of GStreamer's binary interface that is used here, which is stable since version 1.0: so neither a build
// needs its headers nor a machine without such a camera its libraries.

typedef struct {
    uint32_t domain;
    int code;
    char *message;
} Error;

typedef struct List {
    void *data;
    struct List *next;
} List;

// GstBuffer, up to the time at which it is to be shown.
typedef struct {
    char object[64];
    void *pool;
    uint64_t pts;
} Buffer;

typedef struct {
    void *memory;
    int flags;
    uint8_t *data;
    size_t size, maxsize;
    void *user_data[4], *reserved[4];
} Map;

typedef struct {
    int format;
    const char *name;
} FormatInfo;

// GstVideoInfo, up to the strides.
typedef struct {
    const FormatInfo *format;
    int interlace_mode, flags, width, height;
    size_t size;
    int views, chroma_site;
    int range, matrix, transfer, primaries;
    int par_n, par_d, fps_n, fps_d;
    size_t offsets[4];
    int strides[4];
} VideoInfo;

// GstVideoMeta, up to the strides.
typedef struct {
    int meta_flags;
    const void *meta_info;
    void *buffer;
    int flags, format, id;
    unsigned width, height, planes;
    size_t offsets[4];
    int strides[4];
} VideoMeta;

enum { STATE_NULL = 1, STATE_READY = 2, STATE_PAUSED = 3, STATE_PLAYING = 4 };
enum { CHANGE_FAILURE = 0, CHANGE_SUCCESS = 1, CHANGE_ASYNC = 2, CHANGE_NO_PREROLL = 3 };
enum { MESSAGE_ERROR = 1 << 1, FORMAT_TIME = 3, MAP_READ = 1, RANGE_FULL = 1, MATRIX_BT709 = 3, FATAL_ERRORS = 1, NO_SUCH_ELEMENT = 1 };
static const uint64_t NO_TIME = UINT64_MAX;

// X(result, function, parameters)
#define FUNCTIONS(X) \
    X(int, gst_init_check, (int *, char ***, Error **)) \
    X(void *, gst_parse_launch_full, (const char *, void *, int, Error **)) \
    X(void *, gst_parse_context_new, (void)) \
    X(void, gst_parse_context_free, (void *)) \
    X(char **, gst_parse_context_get_missing_elements, (void *)) \
    X(void *, gst_bin_get_by_name, (void *, const char *)) \
    X(int, gst_bin_remove, (void *, void *)) \
    X(int, gst_element_set_state, (void *, int)) \
    X(int, gst_element_get_state, (void *, int *, int *, uint64_t)) \
    X(void *, gst_element_get_clock, (void *)) \
    X(uint64_t, gst_element_get_base_time, (void *)) \
    X(uint64_t, gst_clock_get_time, (void *)) \
    X(void *, gst_element_get_bus, (void *)) \
    X(void, gst_bus_set_flushing, (void *, int)) \
    X(void *, gst_bus_timed_pop_filtered, (void *, uint64_t, int)) \
    X(void, gst_message_parse_error, (void *, Error **, char **)) \
    X(uint32_t, gst_resource_error_quark, (void)) \
    X(void *, gst_sample_get_buffer, (void *)) \
    X(void *, gst_sample_get_caps, (void *)) \
    X(void *, gst_sample_get_segment, (void *)) \
    X(uint64_t, gst_segment_to_running_time, (const void *, int, uint64_t)) \
    X(int, gst_buffer_map, (void *, Map *, int)) \
    X(void, gst_buffer_unmap, (void *, Map *)) \
    X(void *, gst_mini_object_ref, (void *)) \
    X(void, gst_mini_object_unref, (void *)) \
    X(void, gst_object_unref, (void *)) \
    X(void, gst_app_sink_set_drop, (void *, int)) \
    X(void *, gst_app_sink_try_pull_sample, (void *, uint64_t)) \
    X(int, gst_app_sink_is_eos, (void *)) \
    X(VideoInfo *, gst_video_info_new, (void)) \
    X(void, gst_video_info_free, (VideoInfo *)) \
    X(int, gst_video_info_from_caps, (VideoInfo *, const void *)) \
    X(VideoMeta *, gst_buffer_get_video_meta, (void *)) \
    X(void *, gst_device_monitor_new, (void)) \
    X(unsigned, gst_device_monitor_add_filter, (void *, const char *, void *)) \
    X(int, gst_device_monitor_start, (void *)) \
    X(void, gst_device_monitor_stop, (void *)) \
    X(List *, gst_device_monitor_get_devices, (void *)) \
    X(char *, gst_device_get_display_name, (void *)) \
    X(void *, gst_device_get_properties, (void *)) \
    X(const char *, gst_structure_get_string, (void *, const char *)) \
    X(void, gst_structure_free, (void *)) \
    X(void *, gst_device_create_element, (void *, const char *)) \
    X(void *, gst_element_get_factory, (void *)) \
    X(char *, gst_object_get_name, (void *)) \
    X(void, g_list_free, (List *)) \
    X(void, g_error_free, (Error *)) \
    X(void, g_strfreev, (char **)) \
    X(void, g_free, (void *))

static struct {
#define FIELD(result, function, parameters) result(*function) parameters;
    FUNCTIONS(FIELD)
#undef FIELD
} gst;

struct FacetPipeline {
    void *pipeline, *sink, *bus;
    bool isStarted;
    bool isLive;
    // The form of the newest picture, and what it was read from.
    VideoInfo *info;
    void *caps;
    // The first error, and its class.
    char *error;
    int code;
};

typedef struct {
    void *sample, *buffer;
    Map map;
} Held;

const char *FacetPipelineLoad(void) {
    // With it come the libraries that it needs, whose functions are found through it.
    void *app = dlopen("libgstapp-1.0.so.0", RTLD_LAZY | RTLD_LOCAL);
    void *video = app != NULL ? dlopen("libgstvideo-1.0.so.0", RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (video == NULL) return dlerror();
#define FIND(result, function, parameters) \
    *(void **)&gst.function = dlsym(app, #function); \
    if (gst.function == NULL) *(void **)&gst.function = dlsym(video, #function); \
    if (gst.function == NULL) return "GStreamer has no function " #function;
    FUNCTIONS(FIND)
#undef FIND
    return gst.gst_init_check(NULL, NULL, NULL) ? NULL : "GStreamer cannot be initialised";
}

// The text of an error, which is freed.
static char *text(Error *error) {
    char *text = strdup(error->message);
    gst.g_error_free(error);
    return text;
}

FacetPipeline *FacetPipelineMake(const char *description, char **error, char **missing) {
    *error = *missing = NULL;
    Error *failure = NULL;
    void *context = gst.gst_parse_context_new();
    void *made = gst.gst_parse_launch_full(description, context, FATAL_ERRORS, &failure);
    char **elements = gst.gst_parse_context_get_missing_elements(context);
    // GStreamer also lists an element that is there and lacks a property.
    bool lacksElement = failure != NULL && failure->code == NO_SUCH_ELEMENT;
    if (lacksElement && elements != NULL && elements[0] != NULL) *missing = strdup(elements[0]);
    gst.g_strfreev(elements);
    gst.gst_parse_context_free(context);
    if (failure != NULL) *error = text(failure);
    if (made == NULL) return NULL;
    FacetPipeline *pipeline = calloc(1, sizeof *pipeline);
    void *sink = gst.gst_bin_get_by_name(made, "facet");
    if (pipeline == NULL || sink == NULL || *error != NULL) {
        if (sink != NULL) gst.gst_object_unref(sink);
        gst.gst_object_unref(made);
        free(pipeline);
        return NULL;
    }
    pipeline->pipeline = made;
    pipeline->sink = sink;
    pipeline->bus = gst.gst_element_get_bus(made);
    pipeline->info = gst.gst_video_info_new();
    return pipeline;
}

FacetPipelineState FacetPipelineStart(FacetPipeline *pipeline, int64_t nanoseconds) {
    // Only a pause shows which pipelines are live: the others wait until they are played.
    int change = pipeline->isStarted ? gst.gst_element_get_state(pipeline->pipeline, NULL, NULL, (uint64_t)nanoseconds)
                                     : gst.gst_element_set_state(pipeline->pipeline, STATE_PAUSED);
    pipeline->isStarted = true;
    if (change == CHANGE_ASYNC) return FacetPipelineWaiting;
    if (change == CHANGE_FAILURE) return FacetPipelineFailed;
    pipeline->isLive = change == CHANGE_NO_PREROLL;
    gst.gst_app_sink_set_drop(pipeline->sink, pipeline->isLive);
    if (gst.gst_element_set_state(pipeline->pipeline, STATE_PLAYING) == CHANGE_FAILURE) return FacetPipelineFailed;
    return pipeline->isLive ? FacetPipelineLive : FacetPipelineReady;
}

static int64_t age(FacetPipeline *pipeline, uint64_t time) {
    void *clock = gst.gst_element_get_clock(pipeline->pipeline);
    if (clock == NULL) return -1;
    int64_t now = (int64_t)(gst.gst_clock_get_time(clock) - gst.gst_element_get_base_time(pipeline->pipeline));
    gst.gst_object_unref(clock);
    return now > (int64_t)time ? now - (int64_t)time : 0;
}

static void forgetForm(FacetPipeline *pipeline) {
    if (pipeline->caps != NULL) gst.gst_mini_object_unref(pipeline->caps);
    pipeline->caps = NULL;
}

// Reads the form of a picture, anew only if it is another one.
static bool readForm(FacetPipeline *pipeline, void *caps) {
    if (caps == NULL || caps == pipeline->caps) return caps != NULL;
    forgetForm(pipeline);
    if (!gst.gst_video_info_from_caps(pipeline->info, caps)) return false;
    pipeline->caps = gst.gst_mini_object_ref(caps);
    return true;
}

static bool describe(FacetPipeline *pipeline, FacetPipelineFrame *frame, void *sample, void *buffer) {
    if (!readForm(pipeline, gst.gst_sample_get_caps(sample))) return false;
    const VideoInfo *info = pipeline->info;
    frame->width = info->width;
    frame->height = info->height;
    snprintf(frame->format, sizeof frame->format, "%s", info->format->name);
    frame->rate = info->fps_n > 0 && info->fps_d > 0 ? (double)info->fps_n / info->fps_d : 0;
    frame->fullRange = info->range == RANGE_FULL;
    frame->bt709 = info->matrix == MATRIX_BT709;
    // How the buffer really lies in memory, where that is not as its format says.
    const VideoMeta *meta = gst.gst_buffer_get_video_meta(buffer);
    memcpy(frame->offsets, meta != NULL ? meta->offsets : info->offsets, sizeof frame->offsets);
    memcpy(frame->strides, meta != NULL ? meta->strides : info->strides, sizeof frame->strides);
    return true;
}

static bool hold(FacetPipeline *pipeline, FacetPipelineFrame *frame, void *sample) {
    memset(frame, 0, sizeof *frame);
    Buffer *buffer = gst.gst_sample_get_buffer(sample);
    Held *held = calloc(1, sizeof *held);
    if (buffer == NULL || held == NULL || !describe(pipeline, frame, sample, buffer)
        || !gst.gst_buffer_map(buffer, &held->map, MAP_READ)) {
        free(held);
        return false;
    }
    held->sample = sample;
    held->buffer = buffer;
    frame->held = held;
    frame->data = held->map.data;
    frame->size = held->map.size;
    uint64_t time = buffer->pts == NO_TIME
        ? NO_TIME
        : gst.gst_segment_to_running_time(gst.gst_sample_get_segment(sample), FORMAT_TIME, buffer->pts);
    frame->time = time == NO_TIME ? -1 : (int64_t)time;
    frame->age = time == NO_TIME || !pipeline->isLive ? -1 : age(pipeline, time);
    return true;
}

// Takes the messages that wait, of which errors alone are of interest, and keeps the first of these.
static bool hasFailed(FacetPipeline *pipeline) {
    void *message = pipeline->error == NULL ? gst.gst_bus_timed_pop_filtered(pipeline->bus, 0, MESSAGE_ERROR) : NULL;
    if (message != NULL) {
        Error *error = NULL;
        char *debug = NULL;
        gst.gst_message_parse_error(message, &error, &debug);
        pipeline->code = error->domain == gst.gst_resource_error_quark() ? error->code : 0;
        pipeline->error = text(error);
        gst.g_free(debug);
        gst.gst_mini_object_unref(message);
    }
    return pipeline->error != NULL;
}

FacetPipelineState FacetPipelineTake(FacetPipeline *pipeline, FacetPipelineFrame *frame, int64_t nanoseconds) {
    void *sample = gst.gst_app_sink_try_pull_sample(pipeline->sink, (uint64_t)nanoseconds);
    const bool isOver = sample == NULL && gst.gst_app_sink_is_eos(pipeline->sink);
    if (sample != NULL && hold(pipeline, frame, sample)) {
        hasFailed(pipeline);
        return FacetPipelinePicture;
    }
    if (sample != NULL) gst.gst_mini_object_unref(sample);
    // An error ends the stream, too.
    return hasFailed(pipeline) ? FacetPipelineFailed : isOver ? FacetPipelineEnded : FacetPipelineWaiting;
}

const char *FacetPipelineError(FacetPipeline *pipeline, int *code) {
    const bool isKnown = hasFailed(pipeline);
    *code = pipeline->code;
    return isKnown ? pipeline->error : NULL;
}

void FacetPipelineRelease(void *pointer) {
    Held *held = pointer;
    gst.gst_buffer_unmap(held->buffer, &held->map);
    gst.gst_mini_object_unref(held->sample);
    free(held);
}

// Writes the line of a device, which is released.
static void list(FILE *out, void *device) {
    void *element = gst.gst_device_create_element(device, NULL);
    void *properties = gst.gst_device_get_properties(device);
    char *factory = element != NULL ? gst.gst_object_get_name(gst.gst_element_get_factory(element)) : NULL;
    char *name = gst.gst_device_get_display_name(device);
    // libcamera's identifier is the name; PipeWire's node has one beside it.
    const char *node = properties != NULL ? gst.gst_structure_get_string(properties, "node.name") : NULL;
    if (factory != NULL && name != NULL) fprintf(out, "%s\t%s\t%s\n", factory, node != NULL ? node : name, name);
    gst.g_free(name);
    gst.g_free(factory);
    if (properties != NULL) gst.gst_structure_free(properties);
    if (element != NULL) gst.gst_object_unref(element);
    gst.gst_object_unref(device);
}

char *FacetPipelineCameras(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) return NULL;
    void *monitor = gst.gst_device_monitor_new();
    gst.gst_device_monitor_add_filter(monitor, "Video/Source", NULL);
    if (gst.gst_device_monitor_start(monitor)) {
        List *devices = gst.gst_device_monitor_get_devices(monitor);
        for (List *item = devices; item != NULL; item = item->next) list(out, item->data);
        gst.g_list_free(devices);
        gst.gst_device_monitor_stop(monitor);
    }
    gst.gst_object_unref(monitor);
    fclose(out);
    return text;
}

void FacetPipelineStop(FacetPipeline *pipeline) {
    // The sink holds its newest picture until it is freed, and libcamera 0.0.3 crashes if a picture outlives the
    // camera: so the sink goes first, and before it the messages, which hold it, too.
    gst.gst_element_set_state(pipeline->pipeline, STATE_READY);
    gst.gst_bin_remove(pipeline->pipeline, pipeline->sink);
    gst.gst_element_set_state(pipeline->sink, STATE_NULL);
    gst.gst_bus_set_flushing(pipeline->bus, true);
    gst.gst_object_unref(pipeline->sink);
    gst.gst_element_set_state(pipeline->pipeline, STATE_NULL);
    forgetForm(pipeline);
    gst.gst_video_info_free(pipeline->info);
    gst.gst_object_unref(pipeline->bus);
    gst.gst_object_unref(pipeline->pipeline);
    free(pipeline->error);
    free(pipeline);
}

void FacetPipelineFreeText(char *text) { free(text); }

// A VA-API driver that decodes H.264 on the processor: what FFmpeg, libva and Facet do with hardware runs on a machine
// without any. `run` builds it and makes the node that libva asks for.
//
// VA-API gives a driver the slices as they are, but of the parameter sets only the numbers in them; the driver takes
// the sets from FACET_TEST_STREAM, a transport stream or an H.264 file. FACET_TEST_FAULT makes it fail: `profile` (it
// decodes no H.264), `decode:N` (from the picture N on), `copy:N` (copying out of a surface, from the copy N on).
#include <libavcodec/avcodec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <va/va_backend.h>

#define MOST 4096
typedef struct { void *data; unsigned size; VABufferType type; } Buffer;
typedef struct { int width, height; AVFrame *picture; } Surface;
static Buffer buffers[MOST];
static Surface surfaces[MOST];
static AVCodecContext *decoder;
static unsigned char *packet, *sets;
static size_t packet_size, sets_size;
static VASurfaceID target;
static int decoded, copied;

static int fault(const char *kind, int number) {
    const char *text = getenv("FACET_TEST_FAULT");
    size_t length = strlen(kind);
    if (text == NULL || strncmp(text, kind, length) != 0) return 0;
    return text[length] != ':' || number >= atoi(text + length + 1);
}

// The sequence's and the picture's parameter set, the first of each.
static void read_sets(void) {
    const char *path = getenv("FACET_TEST_STREAM");
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (file == NULL) return;
    static unsigned char start[65536];
    size_t size = fread(start, 1, sizeof start, file);
    fclose(file);
    sets = malloc(sizeof start), sets_size = 0;
    for (int kind = 7; kind <= 8; kind++) {
        for (size_t i = 0; i + 4 < size; i++) {
            if (start[i] || start[i + 1] || start[i + 2] != 1 || (start[i + 3] & 31) != kind) continue;
            size_t end = i + 4;
            while (end + 3 < size && (start[end] || start[end + 1] || start[end + 2] > 1)) end++;
            memcpy(sets + sets_size, start + i, end - i);
            sets_size += end - i;
            break;
        }
    }
}

static void append(const void *bytes, size_t size) {
    packet = realloc(packet, packet_size + size + AV_INPUT_BUFFER_PADDING_SIZE);
    memcpy(packet + packet_size, bytes, size);
    packet_size += size;
}

static int take(VABufferID *identifier, void *data, unsigned size, VABufferType type) {
    for (unsigned i = 1; i < MOST; i++) {
        if (buffers[i].data != NULL) continue;
        buffers[i] = (Buffer){calloc(1, size ? size : 1), size, type};
        if (data != NULL) memcpy(buffers[i].data, data, size);
        *identifier = i;
        return VA_STATUS_SUCCESS;
    }
    return VA_STATUS_ERROR_ALLOCATION_FAILED;
}

static void receive(void) {
    for (;;) {
        AVFrame *frame = av_frame_alloc();
        if (avcodec_receive_frame(decoder, frame) < 0) {
            av_frame_free(&frame);
            return;
        }
        Surface *surface = &surfaces[frame->pts];
        av_frame_free(&surface->picture);
        surface->picture = frame;
    }
}

static VAStatus terminate(VADriverContextP c) {
    avcodec_free_context(&decoder);
    free(sets), free(packet);
    sets = packet = NULL;
    return VA_STATUS_SUCCESS;
}
static VAStatus profiles(VADriverContextP c, VAProfile *list, int *count) {
    *count = 0;
    if (fault("profile", 0)) return VA_STATUS_SUCCESS;
    list[(*count)++] = VAProfileH264ConstrainedBaseline;
    list[(*count)++] = VAProfileH264Main;
    list[(*count)++] = VAProfileH264High;
    return VA_STATUS_SUCCESS;
}
static VAStatus entrypoints(VADriverContextP c, VAProfile p, VAEntrypoint *list, int *count) {
    list[0] = VAEntrypointVLD, *count = 1;
    return VA_STATUS_SUCCESS;
}
static VAStatus config_attributes(VADriverContextP c, VAProfile p, VAEntrypoint e, VAConfigAttrib *list, int count) {
    for (int i = 0; i < count; i++)
        list[i].value = list[i].type == VAConfigAttribRTFormat ? VA_RT_FORMAT_YUV420 : VA_ATTRIB_NOT_SUPPORTED;
    return VA_STATUS_SUCCESS;
}
static VAStatus create_config(VADriverContextP c, VAProfile p, VAEntrypoint e, VAConfigAttrib *l, int n, VAConfigID *id) {
    *id = 1;
    return VA_STATUS_SUCCESS;
}
static VAStatus destroy_config(VADriverContextP c, VAConfigID id) { return VA_STATUS_SUCCESS; }
static VAStatus query_config(VADriverContextP c, VAConfigID id, VAProfile *p, VAEntrypoint *e, VAConfigAttrib *l, int *n) {
    *p = VAProfileH264High, *e = VAEntrypointVLD, *n = 0;
    return VA_STATUS_SUCCESS;
}
static VAStatus surface_attributes(VADriverContextP c, VAConfigID id, VASurfaceAttrib *list, unsigned *count) {
    VASurfaceAttrib all[] = {
        {VASurfaceAttribPixelFormat, VA_SURFACE_ATTRIB_GETTABLE | VA_SURFACE_ATTRIB_SETTABLE, {VAGenericValueTypeInteger, {.i = VA_FOURCC_NV12}}},
        {VASurfaceAttribMaxWidth, VA_SURFACE_ATTRIB_GETTABLE, {VAGenericValueTypeInteger, {.i = 8192}}},
        {VASurfaceAttribMaxHeight, VA_SURFACE_ATTRIB_GETTABLE, {VAGenericValueTypeInteger, {.i = 8192}}},
    };
    if (list != NULL) memcpy(list, all, sizeof all);
    *count = sizeof all / sizeof all[0];
    return VA_STATUS_SUCCESS;
}
static VAStatus create_surfaces2(VADriverContextP c, unsigned format, unsigned width, unsigned height, VASurfaceID *list, unsigned count, VASurfaceAttrib *attributes, unsigned n) {
    for (unsigned i = 1, made = 0; made < count; i++) {
        if (i == MOST) return VA_STATUS_ERROR_ALLOCATION_FAILED;
        if (surfaces[i].width != 0) continue;
        surfaces[i] = (Surface){width, height, NULL};
        list[made++] = i;
    }
    return VA_STATUS_SUCCESS;
}
static VAStatus create_surfaces(VADriverContextP c, int width, int height, int format, int count, VASurfaceID *list) {
    return create_surfaces2(c, format, width, height, list, count, NULL, 0);
}
static VAStatus destroy_surfaces(VADriverContextP c, VASurfaceID *list, int count) {
    for (int i = 0; i < count; i++) {
        av_frame_free(&surfaces[list[i]].picture);
        surfaces[list[i]].width = 0;
    }
    return VA_STATUS_SUCCESS;
}
static VAStatus create_context(VADriverContextP c, VAConfigID id, int w, int h, int flag, VASurfaceID *l, int n, VAContextID *made) {
    *made = 1;
    avcodec_free_context(&decoder);
    decoder = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
    decoder->thread_count = 1;

    return avcodec_open2(decoder, NULL, NULL) < 0 ? VA_STATUS_ERROR_ALLOCATION_FAILED : VA_STATUS_SUCCESS;
}
static VAStatus destroy_context(VADriverContextP c, VAContextID id) { return VA_STATUS_SUCCESS; }
static VAStatus create_buffer(VADriverContextP c, VAContextID id, VABufferType type, unsigned size, unsigned count, void *data, VABufferID *made) {
    return take(made, data, size * count, type);
}
static VAStatus resize_buffer(VADriverContextP c, VABufferID id, unsigned count) { return VA_STATUS_SUCCESS; }
static VAStatus map(VADriverContextP c, VABufferID id, void **data) {
    *data = buffers[id].data;
    return VA_STATUS_SUCCESS;
}
static VAStatus unmap(VADriverContextP c, VABufferID id) { return VA_STATUS_SUCCESS; }
static VAStatus destroy_buffer(VADriverContextP c, VABufferID id) {
    free(buffers[id].data);
    buffers[id].data = NULL;
    return VA_STATUS_SUCCESS;
}
static VAStatus begin(VADriverContextP c, VAContextID id, VASurfaceID surface) {
    target = surface, packet_size = 0;
    return VA_STATUS_SUCCESS;
}
static VAStatus render(VADriverContextP c, VAContextID id, VABufferID *list, int count) {
    for (int i = 0; i < count; i++) {
        const Buffer *buffer = &buffers[list[i]];
        if (buffer->type != VASliceDataBufferType) continue;
        if (packet_size == 0 && (*(unsigned char *)buffer->data & 31) == 5) append(sets, sets_size);
        append("\0\0\1", 3);
        append(buffer->data, buffer->size);
    }
    return VA_STATUS_SUCCESS;
}
static VAStatus end(VADriverContextP c, VAContextID id) {
    if (fault("decode", decoded++)) return VA_STATUS_ERROR_DECODING_ERROR;
    AVPacket *next = av_packet_alloc();
    next->pts = target;
    memset(packet + packet_size, 0, AV_INPUT_BUFFER_PADDING_SIZE);
    next->data = packet, next->size = packet_size;
    avcodec_send_packet(decoder, next);
    av_packet_free(&next);
    receive();
    return VA_STATUS_SUCCESS;
}
static VAStatus synchronize(VADriverContextP c, VASurfaceID surface) { return VA_STATUS_SUCCESS; }
static VAStatus surface_status(VADriverContextP c, VASurfaceID surface, VASurfaceStatus *status) {
    *status = VASurfaceReady;
    return VA_STATUS_SUCCESS;
}
static VAStatus image_formats(VADriverContextP c, VAImageFormat *list, int *count) {
    list[0] = (VAImageFormat){.fourcc = VA_FOURCC_NV12, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 12}, *count = 1;
    return VA_STATUS_SUCCESS;
}
static VAStatus create_image(VADriverContextP c, VAImageFormat *format, int width, int height, VAImage *image) {
    const unsigned luma = width * height;
    *image = (VAImage){.format = *format, .width = width, .height = height, .data_size = luma * 3 / 2, .num_planes = 2};
    image->pitches[0] = image->pitches[1] = width, image->offsets[1] = luma;
    VAStatus status = take(&image->buf, NULL, image->data_size, VAImageBufferType);
    image->image_id = image->buf;
    return status;
}
static VAStatus derive(VADriverContextP c, VASurfaceID surface, VAImage *image) { return VA_STATUS_ERROR_OPERATION_FAILED; }
static VAStatus get_image(VADriverContextP c, VASurfaceID id, int x, int y, unsigned width, unsigned height, VAImageID image) {
    if (fault("copy", copied++)) return VA_STATUS_ERROR_OPERATION_FAILED;
    Surface *surface = &surfaces[id];
    if (surface->picture == NULL) {
        // The decoder that asks has been told that no more pictures come; this one has not.
        avcodec_send_packet(decoder, NULL);
        receive();
        avcodec_flush_buffers(decoder);
    }
    const AVFrame *from = surface->picture;
    if (from == NULL) return VA_STATUS_ERROR_INVALID_SURFACE;
    unsigned char *luma = buffers[image].data, *chroma = luma + surface->width * surface->height;
    for (int row = 0; row < from->height; row++)
        memcpy(luma + row * surface->width, from->data[0] + row * from->linesize[0], from->width);
    for (int row = 0; row < from->height / 2; row++)
        for (int column = 0; column < from->width / 2; column++) {
            chroma[row * surface->width + 2 * column] = from->data[1][row * from->linesize[1] + column];
            chroma[row * surface->width + 2 * column + 1] = from->data[2][row * from->linesize[2] + column];
        }
    return VA_STATUS_SUCCESS;
}
// What libva demands of every driver, and nothing here calls.
static VAStatus unused(void) { return VA_STATUS_ERROR_UNIMPLEMENTED; }

VAStatus __vaDriverInit_1_0(VADriverContextP c) {
    struct VADriverVTable *t = c->vtable;
    c->version_major = VA_MAJOR_VERSION, c->version_minor = VA_MINOR_VERSION;
    c->max_profiles = c->max_entrypoints = c->max_attributes = c->max_image_formats = 8;
    c->max_subpic_formats = c->max_display_attributes = 1;
    c->str_vendor = "Facet's test driver";
    // All of it but the reserved words at its end.
    for (void **entry = (void **)t; (char *)entry < (char *)&t->vaGetSurfaceAttributes; entry++) *entry = (void *)unused;
    t->vaTerminate = terminate;
    t->vaQueryConfigProfiles = profiles;
    t->vaQueryConfigEntrypoints = entrypoints;
    t->vaGetConfigAttributes = config_attributes;
    t->vaCreateConfig = create_config;
    t->vaDestroyConfig = destroy_config;
    t->vaQueryConfigAttributes = query_config;
    t->vaCreateSurfaces = create_surfaces;
    t->vaCreateSurfaces2 = create_surfaces2;
    t->vaDestroySurfaces = destroy_surfaces;
    t->vaQuerySurfaceAttributes = surface_attributes;
    t->vaCreateContext = create_context;
    t->vaDestroyContext = destroy_context;
    t->vaCreateBuffer = create_buffer;
    t->vaBufferSetNumElements = resize_buffer;
    t->vaMapBuffer = map;
    t->vaUnmapBuffer = unmap;
    t->vaDestroyBuffer = destroy_buffer;
    t->vaBeginPicture = begin;
    t->vaRenderPicture = render;
    t->vaEndPicture = end;
    t->vaSyncSurface = synchronize;
    t->vaQuerySurfaceStatus = surface_status;
    t->vaQueryImageFormats = image_formats;
    t->vaCreateImage = create_image;
    t->vaDestroyImage = destroy_buffer;
    t->vaDeriveImage = derive;
    t->vaGetImage = get_image;
    decoded = copied = 0;
    read_sets();
    return VA_STATUS_SUCCESS;
}

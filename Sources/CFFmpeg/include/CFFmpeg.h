// The part of FFmpeg that Facet uses, resolved when a clip, a picture or a stream is first opened.
//
// A daemon on a camera does not need it, and linking it would map and relocate about 130 libraries at every start.
// Types, constants and signatures are those of the installed headers (FFmpeg 5.1 to 8); the libraries are opened by the
// names that these headers' major versions stand for, so both always fit together.
#ifndef FACET_CFFMPEG_H
#define FACET_CFFMPEG_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/error.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

// X(library, function)
#define FACET_FFMPEG_FUNCTIONS(X) \
    X(avutil, av_buffer_ref) \
    X(avutil, av_buffer_unref) \
    X(avutil, av_d2q) \
    X(avutil, av_dict_free) \
    X(avutil, av_dict_get) \
    X(avutil, av_dict_set) \
    X(avutil, av_frame_alloc) \
    X(avutil, av_frame_copy_props) \
    X(avutil, av_frame_free) \
    X(avutil, av_frame_get_buffer) \
    X(avutil, av_frame_get_side_data) \
    X(avutil, av_frame_make_writable) \
    X(avutil, av_frame_new_side_data) \
    X(avutil, av_frame_move_ref) \
    X(avutil, av_frame_remove_side_data) \
    X(avutil, av_frame_unref) \
    X(avutil, av_hwdevice_ctx_create) \
    X(avutil, av_hwframe_transfer_data) \
    X(avutil, av_freep) \
    X(avutil, av_image_copy_to_buffer) \
    X(avutil, av_log_set_callback) \
    X(avutil, av_malloc) \
    X(avutil, av_pix_fmt_desc_get) \
    X(avutil, av_strerror) \
    X(avcodec, av_packet_alloc) \
    X(avcodec, av_packet_free) \
    X(avcodec, av_packet_rescale_ts) \
    X(avcodec, av_packet_unref) \
    X(avcodec, avcodec_alloc_context3) \
    X(avcodec, avcodec_find_decoder) \
    X(avcodec, avcodec_find_decoder_by_name) \
    X(avcodec, avcodec_find_encoder_by_name) \
    X(avcodec, avcodec_flush_buffers) \
    X(avcodec, avcodec_free_context) \
    X(avcodec, avcodec_get_hw_config) \
    X(avcodec, avcodec_get_name) \
    X(avcodec, avcodec_open2) \
    X(avcodec, avcodec_parameters_copy) \
    X(avcodec, avcodec_parameters_from_context) \
    X(avcodec, avcodec_parameters_to_context) \
    X(avcodec, avcodec_receive_frame) \
    X(avcodec, avcodec_receive_packet) \
    X(avcodec, avcodec_send_frame) \
    X(avcodec, avcodec_send_packet) \
    X(avformat, av_find_best_stream) \
    X(avformat, av_find_input_format) \
    X(avformat, av_guess_frame_rate) \
    X(avformat, av_guess_sample_aspect_ratio) \
    X(avformat, av_interleaved_write_frame) \
    X(avformat, av_probe_input_buffer2) \
    X(avformat, av_read_frame) \
    X(avformat, av_write_trailer) \
    X(avformat, avformat_alloc_context) \
    X(avformat, avformat_alloc_output_context2) \
    X(avformat, avformat_close_input) \
    X(avformat, avformat_find_stream_info) \
    X(avformat, avformat_free_context) \
    X(avformat, avformat_index_get_entries_count) \
    X(avformat, avformat_index_get_entry) \
    X(avformat, avformat_new_stream) \
    X(avformat, avformat_open_input) \
    X(avformat, avformat_query_codec) \
    X(avformat, avformat_write_header) \
    X(avformat, avio_alloc_context) \
    X(avformat, avio_closep) \
    X(avformat, avio_context_free) \
    X(avformat, avio_open) \
    X(avformat, avio_open2) \
    X(avformat, avio_read_partial) \
    X(avformat, avio_seek) \
    X(avformat, avio_size) \
    X(swscale, sws_freeContext) \
    X(swscale, sws_getCachedContext) \
    X(swscale, sws_getCoefficients) \
    X(swscale, sws_scale) \
    X(swscale, sws_setColorspaceDetails)

// FFmpeg's functions under their own names.
typedef struct {
#define FACET_FFMPEG_FIELD(library, function) __typeof__(function) *_Nonnull function;
    FACET_FFMPEG_FUNCTIONS(FACET_FFMPEG_FIELD)
#undef FACET_FFMPEG_FIELD
} FFmpegFunctions;

// Opens the libraries and finds their functions. The libraries stay open until the process ends.
// Returns null and sets `reason`, valid until this thread next opens a library, if one of them is missing.
const FFmpegFunctions *_Nullable FFmpegFunctionsLoad(const char *_Nullable *_Nonnull reason);

// The newest error that FFmpeg logged on this thread, which says more than its number; "" since it was forgotten.
// FFmpeg writes nothing to standard error.
const char *_Nonnull FFmpegNewestError(void);
void FFmpegForgetErrors(void);

// Opens the library of codecs, which takes longer than all others together. FFmpegFunctionsLoad tells if it is missing.
void FFmpegCodecsLoad(void);

// A scaler's handle. SwsContext is opaque up to FFmpeg 7, a complete type from 8 on; Swift imports these differently.
typedef struct SwsContext *FFmpegScaler;

// FFmpeg's constants that are macros with casts, which Swift cannot see, or change their type between versions.
static const int facet_error_eof = AVERROR_EOF;
static const int facet_error_exit = AVERROR_EXIT;
static const int facet_error_invalid_data = AVERROR_INVALIDDATA;
static const int facet_error_unauthorized = AVERROR_HTTP_UNAUTHORIZED;
static const int facet_error_forbidden = AVERROR_HTTP_FORBIDDEN;
static const int facet_error_not_found = AVERROR_HTTP_NOT_FOUND;
static const int facet_error_server = AVERROR_HTTP_SERVER_ERROR;
static const int64_t facet_no_timestamp = AV_NOPTS_VALUE;
static const int facet_scaling = SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT;

// The major versions of the headers, which are part of the libraries' names and of Debian's packages'.
static const int facet_avformat_version = LIBAVFORMAT_VERSION_MAJOR;
static const int facet_swscale_version = LIBSWSCALE_VERSION_MAJOR;

// The 3x3 matrix by which a container says how its pictures are to be shown; null if it does not say.
// From FFmpeg 6.1 on it belongs to the codec's parameters, before to the stream.
static inline const int32_t *_Nullable facet_display_matrix(const AVStream *_Nonnull stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
    const AVPacketSideData *data = stream->codecpar->coded_side_data;
    const int count = stream->codecpar->nb_coded_side_data;
#else
    const AVPacketSideData *data = stream->side_data;
    const int count = stream->nb_side_data;
#endif
    for (int i = 0; i < count; i++)
        if (data[i].type == AV_PKT_DATA_DISPLAYMATRIX && data[i].size >= 9 * sizeof(int32_t))
            return (const int32_t *)data[i].data;
    return NULL;
}

#endif

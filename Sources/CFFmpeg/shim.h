#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/display.h>
#include <libavutil/error.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

// FFmpeg's constants that are macros with casts, which Swift cannot see.
static const int facet_error_eof = AVERROR_EOF;
static const int facet_error_exit = AVERROR_EXIT;
static const int facet_error_invalid_data = AVERROR_INVALIDDATA;
static const int64_t facet_no_timestamp = AV_NOPTS_VALUE;

// What Swift cannot see of V4L2 and libv4l2: request numbers (macros that compute) and variadic functions.
#ifndef FACET_CV4L2_H
#define FACET_CV4L2_H
#include <linux/videodev2.h>
#include <stddef.h>
#include <stdint.h>

/// A request to a V4L2 device, by its ioctl's number, with the argument's type.
enum __attribute__((enum_extensibility(open))) V4L2Request : unsigned long {
    V4L2RequestQueryCapabilities = VIDIOC_QUERYCAP,          // v4l2_capability
    V4L2RequestEnumerateFormats = VIDIOC_ENUM_FMT,           // v4l2_fmtdesc
    V4L2RequestEnumerateSizes = VIDIOC_ENUM_FRAMESIZES,      // v4l2_frmsizeenum
    V4L2RequestEnumerateIntervals = VIDIOC_ENUM_FRAMEINTERVALS,  // v4l2_frmivalenum
    V4L2RequestSetFormat = VIDIOC_S_FMT,                     // v4l2_format
    V4L2RequestGetParameters = VIDIOC_G_PARM,                // v4l2_streamparm
    V4L2RequestSetParameters = VIDIOC_S_PARM,                // v4l2_streamparm
    V4L2RequestRequestBuffers = VIDIOC_REQBUFS,              // v4l2_requestbuffers
    V4L2RequestQueryBuffer = VIDIOC_QUERYBUF,                // v4l2_buffer
    V4L2RequestQueueBuffer = VIDIOC_QBUF,                    // v4l2_buffer
    V4L2RequestDequeueBuffer = VIDIOC_DQBUF,                 // v4l2_buffer
    V4L2RequestStartStreaming = VIDIOC_STREAMON,             // int, the buffer type
    V4L2RequestStopStreaming = VIDIOC_STREAMOFF,             // int, the buffer type
    V4L2RequestQueryControl = VIDIOC_QUERYCTRL,              // v4l2_queryctrl
    V4L2RequestQueryMenu = VIDIOC_QUERYMENU,                 // v4l2_querymenu
    V4L2RequestGetControl = VIDIOC_G_CTRL,                   // v4l2_control
    V4L2RequestSetControl = VIDIOC_S_CTRL,                   // v4l2_control
};

// Calls that a signal interrupts are made again.

/// Opens a node for reading and writing, non-blocking, closed on exec.
int facet_v4l2_open(const char *path);

/// Lets libv4l2 convert what an open node delivers. Loads libv4l2 when it is called first, which few
/// cameras need. Returns -1 with errno set if that fails; ELIBACC means that the library is not installed.
int facet_v4l2_convert(int fd);

// These go through libv4l2 once it is loaded, which hands on to the driver what it does not convert.
int facet_v4l2_ioctl(int fd, unsigned long request, void *argument);
void *facet_v4l2_mmap(size_t length, int fd, int64_t offset);
int facet_v4l2_munmap(void *base, size_t length);
int facet_v4l2_close(int fd);

/// Puts a private copy of the pages at `base` in their place, in one step for threads that read there meanwhile.
/// Returns 0, or -1 with errno set and nothing changed.
int facet_make_private(void *base, size_t length);
#endif

// What Swift cannot see of V4L2 and libv4l2: request numbers (macros that compute) and variadic functions.
#ifndef FACET_CV4L2_H
#define FACET_CV4L2_H
#include <linux/videodev2.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>

static const unsigned long facet_vidioc_querycap = VIDIOC_QUERYCAP;
static const unsigned long facet_vidioc_enum_fmt = VIDIOC_ENUM_FMT;
static const unsigned long facet_vidioc_enum_framesizes = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long facet_vidioc_enum_frameintervals = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long facet_vidioc_s_fmt = VIDIOC_S_FMT;
static const unsigned long facet_vidioc_g_parm = VIDIOC_G_PARM;
static const unsigned long facet_vidioc_s_parm = VIDIOC_S_PARM;
static const unsigned long facet_vidioc_reqbufs = VIDIOC_REQBUFS;
static const unsigned long facet_vidioc_querybuf = VIDIOC_QUERYBUF;
static const unsigned long facet_vidioc_qbuf = VIDIOC_QBUF;
static const unsigned long facet_vidioc_dqbuf = VIDIOC_DQBUF;
static const unsigned long facet_vidioc_streamon = VIDIOC_STREAMON;
static const unsigned long facet_vidioc_streamoff = VIDIOC_STREAMOFF;
static const unsigned long facet_vidioc_queryctrl = VIDIOC_QUERYCTRL;
static const unsigned long facet_vidioc_querymenu = VIDIOC_QUERYMENU;
static const unsigned long facet_vidioc_g_ctrl = VIDIOC_G_CTRL;
static const unsigned long facet_vidioc_s_ctrl = VIDIOC_S_CTRL;

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

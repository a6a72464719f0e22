// The least that a program can do to get frames: poll, take, give back. What the capture costs is measured against it.
// bare-loop DEVICE FRAMES: prints, for the frames after the first ten, the processor time used in microseconds and the
// frames per second.
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

static double reading(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void check(int result, const char *what) {
    if (result >= 0) return;
    perror(what);
    exit(1);
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    int fd = open(arguments[1], O_RDWR | O_NONBLOCK);
    check(fd, arguments[1]);
    struct v4l2_requestbuffers request = {
        .count = 5, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    check(ioctl(fd, VIDIOC_REQBUFS, &request), "REQBUFS");
    for (unsigned i = 0; i < request.count; i++) {
        struct v4l2_buffer buffer = {.index = i, .type = request.type, .memory = request.memory};
        check(ioctl(fd, VIDIOC_QUERYBUF, &buffer), "QUERYBUF");
        if (mmap(0, buffer.length, PROT_READ, MAP_SHARED, fd, buffer.m.offset) == MAP_FAILED) check(-1, "mmap");
        check(ioctl(fd, VIDIOC_QBUF, &buffer), "QBUF");
    }
    int type = request.type;
    check(ioctl(fd, VIDIOC_STREAMON, &type), "STREAMON");
    double used = 0, began = 0;
    for (int frames = 0, wanted = atoi(arguments[2]); frames < wanted + 10; frames++) {
        if (frames == 10) {
            used = reading(CLOCK_PROCESS_CPUTIME_ID);
            began = reading(CLOCK_MONOTONIC);
        }
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        check(poll(&ready, 1, 5000), "poll");
        struct v4l2_buffer buffer = {.type = request.type, .memory = request.memory};
        check(ioctl(fd, VIDIOC_DQBUF, &buffer), "DQBUF");
        check(ioctl(fd, VIDIOC_QBUF, &buffer), "QBUF");
    }
    used = reading(CLOCK_PROCESS_CPUTIME_ID) - used;
    printf("%.0f %.2f\n", used, atoi(arguments[2]) / (reading(CLOCK_MONOTONIC) - began) * 1e6);
}

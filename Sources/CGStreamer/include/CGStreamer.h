// A GStreamer pipeline that ends in pictures. The libraries are opened when the first pipeline is made.
#ifndef FACET_CGSTREAMER_H
#define FACET_CGSTREAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct FacetPipeline FacetPipeline;

// What a pipeline is at.
typedef enum __attribute__((enum_extensibility(closed))) {
    // It cannot go on; FacetPipelineError says why.
    FacetPipelineFailed,
    // Nothing new within the time.
    FacetPipelineWaiting,
    // It delivers as fast as its pictures are taken.
    FacetPipelineReady,
    // It delivers pictures when they happen.
    FacetPipelineLive,
    // A picture was taken.
    FacetPipelinePicture,
    // No picture comes any more.
    FacetPipelineEnded,
} FacetPipelineState;

typedef struct {
    int width, height;
    // GStreamer's name, such as NV12.
    char format[16];
    // 0 if unknown.
    double rate;
    bool fullRange, bt709;
    const uint8_t *_Nullable data;
    // Bytes in all, and where each plane begins.
    size_t size;
    size_t offsets[4];
    int strides[4];
    // Nanoseconds of running time, and since the capture by the pipeline's clock; -1 if unknown.
    int64_t time, age;
    // To be given to FacetPipelineRelease.
    void *_Nullable held;
} FacetPipelineFrame;

// How errors are classified: GstResourceError's numbers, 0 for all others.
enum { FacetPipelineNotFound = 3, FacetPipelineBusy = 4, FacetPipelineNotAuthorized = 15 };

// Opens GStreamer. Returns why it cannot be used, valid for this thread until its next call, or null.
const char *_Nullable FacetPipelineLoad(void);

// Makes a pipeline of a description in the syntax of gst-launch-1.0, whose sink is named "facet". Returns null and sets
// `error` and, if an element is not installed, `missing`; FacetPipelineFreeText frees both.
FacetPipeline *_Nullable FacetPipelineMake(
    const char *text, char *_Nullable *_Nonnull error, char *_Nullable *_Nonnull missing
);

// Starts it, or waits further until it has started: failed, waiting, ready or live. A live one drops what is not taken.
FacetPipelineState FacetPipelineStart(FacetPipeline *pipeline, int64_t nanoseconds);

// Takes the next picture: failed, waiting, picture or ended.
FacetPipelineState FacetPipelineTake(FacetPipeline *pipeline, FacetPipelineFrame *frame, int64_t nanoseconds);

// The first error of a pipeline, valid until it is stopped, and its class; null if there was none.
const char *_Nullable FacetPipelineError(FacetPipeline *pipeline, int *code);

// Gives a picture back to the pipeline, from any thread.
void FacetPipelineRelease(void *held);

// The video sources that GStreamer's plugins know, a line for each: the element that opens it, its identifier and its
// name, separated by tabs. To be freed with FacetPipelineFreeText; null if there is none.
char *_Nullable FacetPipelineCameras(void);

void FacetPipelineStop(FacetPipeline *pipeline);
void FacetPipelineFreeText(char *_Nullable text);

#pragma clang assume_nonnull end
#endif

import FacetTestSupport
import Foundation
import Testing

/// Holds what CGStreamer.c declares of GStreamer's binary interface against the headers of the installed version. The
/// build itself needs none: SwiftPM would take their place from pkg-config, and link GStreamer for it.
@Suite("GStreamer's structures", .serialized, .enabled(if: Headers.areHere, "needs libgstreamer-plugins-base1.0-dev"))
struct LayoutTests {
    @Test("lie in memory as CGStreamer.c declares them, and its numbers are theirs")
    func layout() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/CGStreamer")
        let directory = try TemporaryDirectory()
        let program = try directory.write(Self.comparison, to: "comparison.c")
        let places = ["-I\(sources.path)", "-I\(sources.path)/include"]
        try Tool.run("/usr/bin/env", ["clang", "-fsyntax-only"] + places + Headers.flags() + [program])
    }

    private static let comparison = """
        #include <gst/gst.h>
        #include <gst/app/gstappsink.h>
        #include <gst/video/video.h>
        #include <stddef.h>
        #include "CGStreamer.c"

        #define EQUAL(ours, theirs) _Static_assert((ours) == (theirs), #ours " is not " #theirs);
        #define FIELD(Ours, our, Theirs, their) \\
            EQUAL(offsetof(Ours, our), offsetof(Theirs, their)) \\
            EQUAL(sizeof(((Ours *)0)->our), sizeof(((Theirs *)0)->their))

        FIELD(Error, domain, GError, domain)
        FIELD(Error, code, GError, code)
        FIELD(Error, message, GError, message)
        FIELD(List, data, GList, data)
        FIELD(List, next, GList, next)
        FIELD(Buffer, pts, GstBuffer, pts)
        FIELD(Map, data, GstMapInfo, data)
        FIELD(Map, size, GstMapInfo, size)
        EQUAL(sizeof(Map), sizeof(GstMapInfo))
        FIELD(FormatInfo, name, GstVideoFormatInfo, name)
        FIELD(VideoInfo, format, GstVideoInfo, finfo)
        FIELD(VideoInfo, width, GstVideoInfo, width)
        FIELD(VideoInfo, height, GstVideoInfo, height)
        FIELD(VideoInfo, range, GstVideoInfo, colorimetry.range)
        FIELD(VideoInfo, matrix, GstVideoInfo, colorimetry.matrix)
        FIELD(VideoInfo, fps_n, GstVideoInfo, fps_n)
        FIELD(VideoInfo, fps_d, GstVideoInfo, fps_d)
        FIELD(VideoInfo, offsets, GstVideoInfo, offset)
        FIELD(VideoInfo, strides, GstVideoInfo, stride)
        FIELD(VideoMeta, offsets, GstVideoMeta, offset)
        FIELD(VideoMeta, strides, GstVideoMeta, stride)

        EQUAL(STATE_NULL, GST_STATE_NULL)
        EQUAL(STATE_READY, GST_STATE_READY)
        EQUAL(STATE_PAUSED, GST_STATE_PAUSED)
        EQUAL(STATE_PLAYING, GST_STATE_PLAYING)
        EQUAL(CHANGE_FAILURE, GST_STATE_CHANGE_FAILURE)
        EQUAL(CHANGE_SUCCESS, GST_STATE_CHANGE_SUCCESS)
        EQUAL(CHANGE_ASYNC, GST_STATE_CHANGE_ASYNC)
        EQUAL(CHANGE_NO_PREROLL, GST_STATE_CHANGE_NO_PREROLL)
        EQUAL(MESSAGE_ERROR, GST_MESSAGE_ERROR)
        EQUAL(FORMAT_TIME, GST_FORMAT_TIME)
        EQUAL(MAP_READ, GST_MAP_READ)
        EQUAL(RANGE_FULL, GST_VIDEO_COLOR_RANGE_0_255)
        EQUAL(MATRIX_BT709, GST_VIDEO_COLOR_MATRIX_BT709)
        EQUAL(FATAL_ERRORS, GST_PARSE_FLAG_FATAL_ERRORS)
        EQUAL(NO_SUCH_ELEMENT, GST_PARSE_ERROR_NO_SUCH_ELEMENT)
        EQUAL(FacetPipelineNotFound, GST_RESOURCE_ERROR_NOT_FOUND)
        EQUAL(FacetPipelineBusy, GST_RESOURCE_ERROR_BUSY)
        EQUAL(FacetPipelineNotAuthorized, GST_RESOURCE_ERROR_NOT_AUTHORIZED)
        """
}

/// GStreamer's headers on this machine.
private enum Headers {
    static let areHere = (try? flags()) != nil

    /// The compiler's options for them.
    static func flags() throws -> [String] {
        let packages = ["gstreamer-app-1.0", "gstreamer-video-1.0"]
        let words = try Tool.run("/usr/bin/env", ["pkg-config", "--cflags"] + packages)
        return String(decoding: words, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
    }
}

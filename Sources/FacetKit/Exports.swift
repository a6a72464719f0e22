// An app imports FacetKit and has all that its declarations mention; so has each file of this module.
@_exported public import FaceInference
@_exported public import FaceMetadata
@_exported public import FaceTracking
@_exported public import Frames
@_exported public import GStreamerCapture
@_exported public import V4L2Capture

// A program that imports FacetKit also gets all types that its declarations mention. So does each file of this module.
@_exported public import FaceInference
@_exported public import FaceMetadata
@_exported public import FaceTracking
@_exported public import Frames
@_exported public import GStreamerCapture
@_exported public import V4L2Capture

// A frame has the stamp, and a source the times, of `FaceMetadata`.
@_exported public import FaceMetadata

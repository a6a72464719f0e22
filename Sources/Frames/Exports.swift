// Frames have the stamps, and sources the times, of `FaceMetadata`.
@_exported public import FaceMetadata

// The tracker's input and results are types of FaceMetadata.
@_exported public import FaceMetadata

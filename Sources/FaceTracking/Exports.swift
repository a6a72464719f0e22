// A tracker takes and gives the values of faces.
@_exported public import FaceMetadata

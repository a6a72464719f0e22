// A program that subscribes imports FaceMessages and has the values that messages hold.
@_exported public import FaceMetadata

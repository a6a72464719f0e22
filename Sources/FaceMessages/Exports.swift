// A program that imports FaceMessages also gets the types of the values in messages.
@_exported public import FaceMetadata

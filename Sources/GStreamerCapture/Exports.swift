// A pipeline delivers the frames of `Frames`.
@_exported public import Frames

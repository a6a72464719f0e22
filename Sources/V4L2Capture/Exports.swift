// A camera gives frames.
@_exported public import Frames

// A pipeline gives frames.
@_exported public import Frames

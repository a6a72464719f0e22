// Terminals show frames.
@_exported public import Frames

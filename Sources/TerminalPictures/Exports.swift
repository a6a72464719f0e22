// A terminal shows frames.
@_exported public import Frames

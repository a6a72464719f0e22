// An analyzer takes frames and gives observations.
@_exported public import Frames

// An overlay draws what messages say over frames.
@_exported public import FaceMessages
@_exported public import Frames

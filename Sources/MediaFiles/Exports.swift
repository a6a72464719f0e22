// Clips and pictures are frames.
@_exported public import Frames

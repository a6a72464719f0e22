// Clips and pictures are read and written as frames.
@_exported public import Frames

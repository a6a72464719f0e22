// Clips and pictures are read from files and written to them as frames.
@_exported public import Frames
@_exported public import System

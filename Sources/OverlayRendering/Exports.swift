// An overlay draws what messages say over frames. An own one is read from a file.
@_exported public import FaceMessages
@_exported public import Frames
@_exported public import SettingsFiles
@_exported public import System

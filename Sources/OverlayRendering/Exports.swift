// An overlay draws what messages say over frames. Users' own overlays are read from files.
@_exported public import FaceMessages
@_exported public import Frames
@_exported public import SettingsFiles
@_exported public import System

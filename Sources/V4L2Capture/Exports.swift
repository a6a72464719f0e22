// Types of this module are part of this module's interface.
@_exported public import Frames

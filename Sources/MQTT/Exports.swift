// Types of these modules are part of this module's interface.
@_exported public import Logging
@_exported public import System

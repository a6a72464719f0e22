// The page builds on the companion.
@_exported public import Companion

// The page builds on the companion and on a server.
@_exported public import Companion
@_exported public import HTTPServing

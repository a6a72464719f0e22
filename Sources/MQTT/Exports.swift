// A broker is an address with a secret, and a client logs to whom it is told to.
@_exported public import Logging
@_exported public import System

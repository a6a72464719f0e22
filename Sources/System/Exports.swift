// Threads, files and addresses are those of the C library, locks those of Swift.
@_exported public import Glibc
@_exported public import Synchronization

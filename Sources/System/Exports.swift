// Threads and files are those of the C library, locks those of Swift, a process's variables those of Foundation.
@_exported public import Foundation
@_exported public import Glibc
@_exported public import Synchronization

// Threads, files and addresses are those of the C library.
@_exported public import Glibc

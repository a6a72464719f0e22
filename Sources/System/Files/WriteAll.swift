/// Writes all bytes, at most `chunk` at a time. If `waitForRoom` is given, calls it before each write, and ends with
/// EPIPE if it returns false. Otherwise waits with `poll` while a non-blocking descriptor is full.
/// - Returns: 0 if all bytes were written, otherwise the error number.
package func writeAll(
    _ bytes: UnsafeRawBufferPointer,
    to descriptor: CInt,
    chunk: Int = .max,
    waitForRoom: (() -> Bool)? = nil
) -> CInt {
    var rest = bytes[...]
    while !rest.isEmpty {
        guard waitForRoom?() ?? true else { return EPIPE }
        let part = UnsafeRawBufferPointer(rebasing: rest.prefix(chunk))
        let written = Glibc.write(descriptor, part.baseAddress, part.count)
        if written >= 0 {
            rest = rest.dropFirst(written)
        } else if errno == EAGAIN {
            if waitForRoom == nil { _ = poll([(descriptor, Int16(POLLOUT))], milliseconds: -1) }
        } else if errno != EINTR {
            return errno
        }
    }
    return 0
}

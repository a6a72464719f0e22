package import Glibc

/// Calls `body` with the address of a UNIX socket; nil if the name is too long for one.
///
/// An `@` in front stands for a name in the abstract namespace, which ends with its last byte and not with a zero.
package func withUnixAddress<Value>(_ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value? {
    var address = sockaddr_un()
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard name.utf8.count < room else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
        path.copyBytes(from: name.utf8)
        if name.hasPrefix("@") { path[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size - room + name.utf8.count)
    return withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
}

import Glibc

/// Who owns a file, for messages on missing permissions.
enum FileOwner {
    /// The name of the file's group; nil if the file is not there, or the group has no name or is root's.
    static func groupName(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_gid != 0 else { return nil }
        var entry = Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { text in
            guard getgrgid_r(status.st_gid, &entry, text.baseAddress, text.count, &found) == 0, found != nil else {
                return nil
            }
            return String(cString: entry.gr_name)
        }
    }
}

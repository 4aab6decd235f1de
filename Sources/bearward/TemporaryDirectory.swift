import FoundationEssentials

/// A directory in memory that only this user can read, removed when the process exits. Key sets saved there outlive a
/// worker.
struct TemporaryDirectory {
    let path: String

    /// Makes the directory. Nil if that fails; each worker then fetches the key sets again.
    init?(named name: String) {
        let path = "/dev/shm/\(name)-\(UUID().uuidString)"
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        guard
            (try? FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: attributes)) != nil
        else { return nil }
        self.path = path
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}

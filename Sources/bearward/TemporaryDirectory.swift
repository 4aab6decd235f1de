import FoundationEssentials

/// A directory in memory, for this user alone, that goes with the process: where key sets outlive a worker.
struct TemporaryDirectory {
    let path: String

    /// Nil if the folder cannot be made. Each worker then fetches the key sets anew.
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

import KeySetFetching

/// Reports that a file has changed and is no longer being written, so that it can be read again.
///
/// The file is examined by its path, following symbolic links. An orchestrator changes a mounted file by replacing a
/// link; watching the old file would miss that.
public struct FileChanges: Sendable {
    public static let interval: Duration = .seconds(1)

    private let file: WatchedFile
    private let first: WatchedFile.Stamp?

    /// Examines the file for the first time. Later changes are reported.
    public init(path: String) async {
        file = WatchedFile(path: path)
        first = await file.stamp()
    }

    /// Checks the file until the task is cancelled.
    ///
    /// - Parameter changed: called and awaited after each change.
    public func run(_ changed: () async -> Void) async {
        var change = SettledChange(read: first)
        while true {
            do { try await Task.sleep(for: Self.interval) } catch { return }
            if change.isToBeRead(await file.stamp()) { await changed() }
        }
    }
}

/// Detection of changes by a file's stamp.
///
/// A copy or an editor may write a file in several steps. A change therefore counts only when two checks in a row find
/// the same stamp. A file that is missing has not changed.
struct SettledChange<Stamp: Hashable> {
    private var read: Stamp?
    private var seen: Stamp?

    /// Starts with a file that was just read.
    ///
    /// - Parameter read: stamp from before reading. Nil if the file could not be examined.
    init(read: Stamp?) {
        self.read = read
    }

    mutating func isToBeRead(_ stamp: Stamp?) -> Bool {
        defer { seen = stamp }
        guard let stamp, stamp != read, stamp == seen else { return false }
        read = stamp
        return true
    }
}

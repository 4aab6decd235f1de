import KeySetFetching

/// Tells when a file has changed and come to rest, so that it can be read again.
///
/// It is looked at by its path, symbolic links followed: an orchestrator changes a mounted file by setting a link
/// elsewhere, which whoever watches the old file never hears of.
public struct FileChanges: Sendable {
    public static let interval: Duration = .seconds(1)

    private let file: WatchedFile
    private let first: WatchedFile.Stamp?

    /// Looks at the file for the first time; a change after that is told.
    public init(path: String) async {
        file = WatchedFile(path: path)
        first = await file.stamp()
    }

    /// Looks until the task is cancelled.
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
/// A copy or an editor may write a file in several steps, so a change counts once two looks in a row found the same. A
/// file that is missing for a moment has not changed.
struct SettledChange<Stamp: Hashable> {
    private var read: Stamp?
    private var seen: Stamp?

    /// - Parameter read: what it looked like before it was read.
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

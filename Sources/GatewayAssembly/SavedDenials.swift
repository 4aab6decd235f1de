import DenyLists
import KeySetFetching
import TokenVerification

/// The denials that were added on the admin listener, and the file that keeps them: one line each, written whole, and on the disk before
/// anybody is told that it is.
struct SavedDenials: Sendable {
    /// In the state directory.
    static let fileName = "denials.jsonl"
    /// Entries at most; longer lists stand in `deny_file`. Each change writes all of them.
    static let mostEntries = 10_000
    private static let longestFile = mostEntries * DenyEntry.longestSavedText

    private let directory: StateDirectory

    init(in directory: String) {
        self.directory = StateDirectory(path: directory)
    }

    var path: String { "\(directory.path)/\(Self.fileName)" }

    /// - Throws: if the file is there and cannot be used: what it denied would be let in.
    func read() async throws(SavedDenialsFailure) -> [DenyEntry] {
        do {
            guard let bytes = try await directory.read(Self.fileName, limit: Self.longestFile) else { return [] }
            return try Self.entries(in: bytes)
        } catch let failure as SavedDenialsFailure {
            throw failure
        } catch {
            throw SavedDenialsFailure("`\(path)` cannot be used: \(error)")
        }
    }

    private static func entries(in bytes: [UInt8]) throws(SavedDenialsFailure) -> [DenyEntry] {
        var entries: [DenyEntry] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            do throws(DenyProblem) {
                entries.append(try DenyEntry(restoring: Array(line).span))
            } catch {
                throw SavedDenialsFailure("`\(fileName)`, line \(index + 1): \(error)")
            }
        }
        return entries
    }

    /// Puts these in place of those that were saved; afterwards a loss of power takes none of them away.
    func write(_ entries: [DenyEntry]) async throws(SavedDenialsFailure) {
        var bytes: [UInt8] = []
        for entry in entries { entry.append(to: &bytes) }
        do throws(StateFileFailure) {
            try await directory.create()
            try await directory.write(bytes, to: Self.fileName)
            try await directory.synchronize()
        } catch {
            throw SavedDenialsFailure("`\(path)` could not be written: \(error)")
        }
    }
}

/// Why saved denials cannot be used.
struct SavedDenialsFailure: Error, Sendable, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

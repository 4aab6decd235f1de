import DenyLists
import KeySetFetching
import TokenVerification

/// The file that keeps what was decided about entries on the admin listener, here or at a gateway that shares them: one
/// line each, written whole, and on the disk before anybody is told that it is.
struct SavedDenials: Sendable {
    /// In the state directory.
    static let fileName = "denials.jsonl"
    private static let longestFile = DenialRecords.mostRecords * DenyEntry.longestSavedText

    private let directory: StateDirectory

    init(in directory: String) {
        self.directory = StateDirectory(path: directory)
    }

    var path: String { "\(directory.path)/\(Self.fileName)" }

    /// - Throws: if the file is there and cannot be used: what it denied would be let in.
    /// - Returns: nil: there is no such file.
    func read() async throws(SavedDenialsFailure) -> DenialRecords? {
        do {
            guard let bytes = try await directory.read(Self.fileName, limit: Self.longestFile) else { return nil }
            return try Self.records(in: bytes)
        } catch let failure as SavedDenialsFailure {
            throw failure
        } catch {
            throw SavedDenialsFailure("`\(path)` cannot be used: \(error)")
        }
    }

    private static func records(in bytes: [UInt8]) throws(SavedDenialsFailure) -> DenialRecords {
        var records = DenialRecords()
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            do throws(DenyProblem) {
                _ = records.merge(try DenialRecord(restoring: Array(line).span))
            } catch {
                throw SavedDenialsFailure("`\(fileName)`, line \(index + 1): \(error)")
            }
        }
        return records
    }

    /// Puts these in place of those that were saved; afterwards a loss of power takes none of them away.
    func write(_ records: DenialRecords) async throws(SavedDenialsFailure) {
        var bytes: [UInt8] = []
        for record in records.all.sorted(by: { $0.decidedAt < $1.decidedAt }) { record.append(to: &bytes) }
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

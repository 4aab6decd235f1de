import AccessControl
import Files
import KeySetFetching

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

    /// Stamp of the file now. Nil if it cannot be looked at.
    func stamp() async -> FileStamp? { await WatchedFile(path: path).stamp() }

    /// Records in the file. Nil if there is no such file. A failure if it cannot be used: what it denied would be let
    /// in.
    func read() async -> Result<DenialRecords?, DenyProblem> {
        do {
            let bytes = try await directory.read(Self.fileName, limit: Self.longestFile)
            return .success(try bytes.map(Self.records))
        } catch {
            return .failure(error as? DenyProblem ?? DenyProblem("`\(path)` cannot be used: \(error)"))
        }
    }

    private static func records(in bytes: [UInt8]) throws(DenyProblem) -> DenialRecords {
        var records = DenialRecords()
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            do throws(DenyProblem) {
                _ = records.merge(try DenialRecord(restoring: Array(line).span))
            } catch {
                throw DenyProblem("`\(fileName)`, line \(index + 1): \(error)")
            }
        }
        return records
    }

    /// Puts these in place of those that were saved; afterwards a loss of power takes none of them away.
    ///
    /// - Returns: nil if that is done.
    func write(_ records: DenialRecords) async -> DenyProblem? {
        var bytes: [UInt8] = []
        for record in records.all.sorted(by: { $0.decidedAt < $1.decidedAt }) { record.append(to: &bytes) }
        do throws(StateFileFailure) {
            try await directory.create()
            try await directory.write(bytes, to: Self.fileName)
            try await directory.synchronize()
            return nil
        } catch {
            return DenyProblem("`\(path)` could not be written: \(error)")
        }
    }
}

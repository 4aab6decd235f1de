import AccessControl
import Files
import KeySetFetching

/// File with the decisions made on the admin listener, here or at a gateway that shares them.
///
/// It has one line for each decision and is always written as a whole. The data is on disk before success is reported.
struct SavedDenials: Sendable {
    /// Name of the file in the state directory.
    static let fileName = "denials.jsonl"
    static let longestFile = DenialRecords.mostRecords * DenyEntry.longestSavedText

    private let directory: StateDirectory

    init(in directory: String) {
        self.directory = StateDirectory(path: directory)
    }

    var path: String { "\(directory.path)/\(Self.fileName)" }

    /// Present stamp of the file. Nil if the file cannot be examined.
    func stamp() async -> FileStamp? { await WatchedFile(path: path).stamp() }

    /// Reads the records. Nil if there is no such file.
    ///
    /// Fails if the file cannot be used: ignoring it would accept denied tokens.
    func read() async -> Result<DenialRecords?, DenyProblem> {
        do {
            let bytes = try await directory.read(Self.fileName, limit: Self.longestFile)
            return .success(try bytes.map(Self.records))
        } catch {
            return .failure(error as? DenyProblem ?? DenyProblem("`\(path)` cannot be used: \(error)"))
        }
    }

    static func records(in bytes: [UInt8]) throws(DenyProblem) -> DenialRecords {
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

    /// Replaces the file by these records, and flushes it to disk so that a power loss does not undo it.
    ///
    /// - Returns: the problem. Nil if the records are saved.
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

import AccessControl
import Files
import SystemPackage
import TokenVerification

/// File of denied tokens: a deny list in JSON Lines.
public struct DenyFile: Sendable, Hashable {
    public let path: String

    /// Content of the file, and its stamp from before it was read. While the stamp is unchanged, the content is too.
    /// The stamp is nil if the file's attributes could not be read.
    public typealias Reading = (table: DenyTable, stamp: FileStamp?)

    /// Largest deny file that is accepted, in bytes.
    static let longest = 4 << 30
    private static let partSize = 256 * 1024

    /// Reads the file from beginning to end, which takes seconds for a million entries.
    ///
    /// - Parameter now: time of reading. Entries without `expires` deny for a fixed time from then on.
    public func read(issuers: DenyIssuers, at now: NumericDate) throws(DenyFileFailure) -> Reading {
        guard let digests = DenyDigests.process else {
            throw .unreadable("the cryptographic library could not generate a secret")
        }
        if let absence = FileOnDisk.absence(at: path, writtenAs: path) { throw .unreadable(absence) }
        // Taken before the first byte is read: a change in the meantime is then found at the next look.
        let stamp = FileStamp(path)
        guard let file = try? OpenFile(path, .readOnly) else { throw .unreadable("`\(path)` cannot be read") }
        var reader = DenyLinesReader(digests, issuers: issuers, at: now)
        var count = 0
        do {
            while true {
                let part = try file.read(upTo: Self.partSize)
                guard !part.isEmpty else { break }
                count += part.count
                guard count <= Self.longest else { throw DenyFileFailure.unreadable("`\(path)` is longer than 4 GiB") }
                reader.take(part.span)
            }
        } catch {
            throw error as? DenyFileFailure ?? .unreadable("`\(path)` cannot be read")
        }
        guard let table = reader.finish() else { throw .problems(reader.problems, count: reader.problemCount) }
        return (table, stamp)
    }
}

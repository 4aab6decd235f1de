import AccessControl
import Files
import SystemPackage
import TokenVerification

/// A file of tokens that are refused: a deny list in JSON Lines.
public struct DenyFile: Sendable, Hashable {
    public let path: String

    /// Content of the file, and its stamp from before it was read: while it still looks so, it says the same. The
    /// stamp is nil if the file could not be looked at.
    public typealias Reading = (table: DenyTable, stamp: FileStamp?)

    /// Bytes that are read of it; a list is never longer.
    static let longest = 4 << 30
    private static let partSize = 256 * 1024

    /// Reads it from beginning to end, which takes seconds for a million entries.
    ///
    /// - Parameter now: from when entries without `expires` count.
    public func read(issuers: DenyIssuers, at now: NumericDate) throws(DenyFileFailure) -> Reading {
        guard let digests = DenyDigests.process else { throw .unreadable("the cryptographic library made no secret") }
        if let absence = FileOnDisk.absence(at: path, writtenAs: path) { throw .unreadable(absence) }
        // Before the first byte: what is written meanwhile is then found at the next look.
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

import TokenVerification

/// Reads a deny list in JSON Lines, with one entry per line. Empty lines are skipped.
///
/// The file is read in parts, so it is never in memory as a whole. All lines are read even after a problem, but a list
/// with a problem is not used.
public struct DenyLinesReader: Sendable {
    /// Problem of one line.
    public struct LineProblem: Sendable, Hashable {
        /// Number of the line, counted from 1.
        public let line: Int
        public let problem: DenyProblem
    }

    /// Maximum number of problems that are reported. Further ones are only counted.
    public static let mostProblems = 100

    public private(set) var problems: [LineProblem] = []
    /// Number of lines with a problem, including those that are not reported.
    public private(set) var problemCount = 0
    private let digests: DenyDigests
    private let issuers: DenyIssuers
    private let now: NumericDate
    private var builder: DenyTable.Builder
    private var line = 1
    /// Beginning of the present line, up to one byte more than permitted, which shows that the line is too long.
    private var pending: [UInt8] = []

    /// Makes a reader for one file.
    ///
    /// - Parameter now: time from which the validity of entries without `expires` counts.
    public init(_ digests: DenyDigests, issuers: DenyIssuers, at now: NumericDate) {
        self.digests = digests
        self.issuers = issuers
        self.now = now
        builder = DenyTable.Builder(digests)
    }

    /// Reads the next part of the file.
    public mutating func take(_ part: Span<UInt8>) {
        var start = 0
        for index in part.indices where part[index] == UInt8(ascii: "\n") {
            if pending.isEmpty {
                read(part.extracting(start..<index))
            } else {
                keep(part.extracting(start..<index))
                readPending()
            }
            line += 1
            start = index + 1
        }
        keep(part.extracting(start..<part.count))
    }

    /// Finishes after the last part, and returns the table. Nil if there are problems.
    public mutating func finish() -> DenyTable? {
        if !pending.isEmpty { readPending() }
        guard problemCount == 0 else { return nil }
        var taken = DenyTable.Builder(digests)
        swap(&taken, &builder)
        return taken.table(at: now)
    }

    private mutating func keep(_ part: Span<UInt8>) {
        let room = DenyEntry.longestText + 1 - pending.count
        guard room > 0 else { return }
        let kept = part.extracting(0..<min(room, part.count))
        for index in kept.indices { pending.append(kept[index]) }
    }

    private mutating func readPending() {
        let bytes = pending
        pending.removeAll(keepingCapacity: true)
        read(bytes.span)
    }

    private mutating func read(_ bytes: Span<UInt8>) {
        guard !Self.isBlank(bytes) else { return }
        do throws(DenyProblem) {
            guard builder.count < DenyTable.mostEntries else {
                throw DenyProblem("more than \(DenyTable.mostEntries) entries")
            }
            let entry = try DenyEntry(parsing: bytes, issuers: issuers, at: now)
            guard builder.add(entry) else { throw DenyProblem("the cryptographic library failed") }
        } catch {
            problemCount += 1
            if problems.count < Self.mostProblems { problems.append(LineProblem(line: line, problem: error)) }
        }
    }

    private static func isBlank(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
            default: return false
            }
        }
        return true
    }
}

import RequestHistory

/// Latest refused requests of a gateway, as lines of the access log after `redact`.
public struct RefusalReport: Sendable, Hashable {
    /// JSON objects without a line feed, newest first by the time when their requests ended.
    public let lines: [[UInt8]]
    /// Number of refused requests since the history began, without those left out.
    public let noted: UInt64
    /// Number of refused requests whose lines were longer than ``RequestHistory/EntryRing/longestEntry``, or that came
    /// too fast (``LoopHistory/mostLines``).
    public let leftOut: UInt64

    init(_ rings: [EntryRing]) {
        let entries = rings.flatMap(\.newestFirst)
        lines = entries.sorted { ($0.time, $0.number) > ($1.time, $1.number) }.map(\.bytes)
        noted = rings.reduce(0) { $0 &+ $1.appended }
        leftOut = rings.reduce(0) { $0 &+ $1.leftOut }
    }
}

import HTTPMessages
import ProxySettings
import RequestAuthorization
import RequestHistory

/// Latest refusals and heaviest callers of one event loop.
///
/// Nothing else holds them: a reader asks each loop for a copy, and merges the copies elsewhere. A copy shares the
/// storage, so the loop copies what it changes next: one minute of a window, or the ring.
///
/// Its windows take 150 KiB, and its ring as much as it is given.
struct LoopHistory: Sendable {
    /// Lines of the access log, one for each refused request.
    private(set) var refusals: EntryRing
    private(set) var callers = CallerWindows()
    /// Time until which the rate of lines is used up; monotonic, in nanoseconds.
    private var linesUntil = Int64.min

    /// - Parameter capacity: most bytes of the refusals.
    init(capacity: Int) {
        refusals = EntryRing(capacity: capacity)
    }

    /// True if the line of a refused request is to be appended. Otherwise it counts as left out.
    ///
    /// - Parameter isLogged: true if the line is made for the access log anyway. Lines that are made for the history
    ///   alone are few, because one costs as much as a request.
    mutating func keepsLine(isLogged: Bool, at now: Int64) -> Bool {
        guard !isLogged else { return true }
        let next = max(linesUntil, now &- Self.second) &+ Self.second / Self.mostLines
        guard next <= now else {
            refusals.leaveOut()
            return false
        }
        linesUntil = next
        return true
    }

    /// Most lines a second that are made without an access log.
    static let mostLines: Int64 = 200
    private static let second: Int64 = 1_000_000_000

    /// Appends the line of a refused request.
    ///
    /// - Parameter line: may end with a line feed, which is left out.
    mutating func append(_ line: ArraySlice<UInt8>, at now: Int64) {
        refusals.append(line.last == UInt8(ascii: "\n") ? line.dropLast() : line, at: now)
    }

    /// Counts the callers of a finished request.
    mutating func count(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, client: [UInt8], at now: Int64
    ) {
        callers.count(record, request, client: client, at: now)
    }
}

import NIOCore
import ProxySettings

/// When a target whose HTTP/2 connections take no requests gets another one: no clock, no I/O. Times are monotonic, in
/// nanoseconds.
///
/// An upstream that announces `SETTINGS_MAX_CONCURRENT_STREAMS` of 0 should do so for a short time only, or close the
/// connection (RFC 9113 §6.5.2). Its connection is of no use to us, and the next may be another server's behind the
/// same address. But where one after the other takes nothing, each request would make a connection of its own. So after
/// a few there is one in a while, by which one request tries.
struct SessionRefusals {
    /// Connections in a row that took no request before they answered one.
    private var row = 0
    /// When the next request may try, once the row is that long; nil: any may.
    private var nextAttempt: Int64?

    /// A connection announced that it takes no requests, before it answered one.
    mutating func refused(at now: Int64) {
        row = min(row &+ 1, FixedLimits.refusingSessions)
        if row == FixedLimits.refusingSessions { wait(from: now) }
    }

    /// A connection takes requests. That ends nothing before it has answered one, but others may be needed beside it.
    mutating func accepted() { nextAttempt = nil }

    /// A connection that takes requests answered one.
    mutating func answered() { row = 0 }

    /// Whether a request may have a connection made. While the row lasts only the first of each pause may.
    mutating func mayConnect(at now: Int64) -> Bool {
        guard row == FixedLimits.refusingSessions, let nextAttempt else { return true }
        guard nextAttempt <= now else { return false }
        wait(from: now)
        return true
    }

    private mutating func wait(from now: Int64) {
        nextAttempt = now &+ TimeAmount(FixedLimits.refusalPause).nanoseconds
    }
}

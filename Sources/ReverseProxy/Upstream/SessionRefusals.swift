import NIOCore
import ProxySettings

/// Limits new connections to a target whose HTTP/2 connections take no requests. No clock, no I/O. Times are monotonic,
/// in nanoseconds.
///
/// An upstream should announce `SETTINGS_MAX_CONCURRENT_STREAMS` of 0 only for a short time, or close the connection
/// (RFC 9113 §6.5.2). Its connection is useless to us. The next connection may reach another server behind the same
/// address. But if no connection takes requests, each request would open one. So after a few in a row, only one request
/// per pause opens a connection.
struct SessionRefusals {
    /// Number of consecutive connections that took no requests before they answered one.
    private var row = 0
    /// Earliest time at which a request may open a connection, once `row` has reached its limit. Nil if any request
    /// may.
    private var nextAttempt: Int64?

    /// Records that a connection announced a limit of 0 before it answered a request.
    mutating func refused(at now: Int64) {
        row = min(row &+ 1, FixedLimits.refusingSessions)
        if row == FixedLimits.refusingSessions { wait(from: now) }
    }

    /// Records that a connection takes requests. The row ends only with an answer, but more connections may be opened.
    mutating func accepted() { nextAttempt = nil }

    /// Records that a connection that takes requests answered one. The row ends.
    mutating func answered() { row = 0 }

    /// Returns true if a request may open a connection. After a full row, only the first request of each pause may.
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

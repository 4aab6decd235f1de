/// Failure of one export.
struct ExportFailure: Error, Hashable {
    /// Description for the log.
    let cause: String
    /// True if the same data may be sent again.
    var mayRetry = false
    /// Time that the collector asks to wait. Nil if it names none.
    var retryAfter: Duration?
}

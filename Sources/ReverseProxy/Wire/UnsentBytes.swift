/// How much of an answer waits for the client to take it; a stream's channel cannot be asked.
final class UnsentBytes {
    var byteCount = 0
}

@available(*, unavailable)
extension UnsentBytes: Sendable {}

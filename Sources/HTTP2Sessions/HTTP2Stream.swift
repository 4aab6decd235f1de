/// One stream of a session (RFC 9113 §5).
///
/// A handle that has outlived its stream is harmless: what is done with it is ignored.
public struct HTTP2Stream: Hashable, Sendable {
    /// Its identifier on the wire; never used twice on a connection.
    public let number: Int32
    /// Its index among the streams that live at the same time: small and dense, so that the caller may keep its own
    /// state of a stream in an array. It is used again once the stream's end has been reported.
    public let slot: Int32

    /// No stream: what is done with it is ignored.
    public static var none: HTTP2Stream { HTTP2Stream(number: 0, slot: -1) }
}

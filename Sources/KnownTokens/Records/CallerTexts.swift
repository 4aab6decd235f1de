/// Texts of a token by which its callers are counted, as ranges of the bytes that they are part of. Nil for a text that
/// the token has not.
public struct CallerTexts: Sendable, Hashable {
    public let keyID: Range<Int>?
    public let subject: Range<Int>?
    public let client: Range<Int>?

    public init(keyID: Range<Int>?, subject: Range<Int>?, client: Range<Int>?) {
        (self.keyID, self.subject, self.client) = (keyID, subject, client)
    }

    /// The texts in the bytes of a cache record. Nil if they are not a record.
    public init?(ofRecord bytes: Span<UInt8>) {
        guard let texts = TokenRecord.callerTexts(of: bytes) else { return nil }
        self = texts
    }
}

/// A document of the gateway itself, sent as it is.
public struct PublishedDocument: Sendable, Hashable {
    /// The content, which is JSON.
    public let bytes: [UInt8]
}

/// A document of the gateway's own, to be sent as it is.
public struct PublishedDocument: Sendable, Hashable {
    /// JSON.
    public let bytes: [UInt8]
}

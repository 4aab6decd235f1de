/// The servers behind one resource, any of which may take a request.
public struct UpstreamGroup: Sendable, Hashable {
    /// Taken in turn; with none, every request is answered 502.
    public let targets: [UpstreamTarget]
    /// Put before the forwarded path: in canonical form, empty or beginning with a slash and not ending with one.
    public let basePath: [UInt8]
    /// The `Host` to send instead of the client's.
    public let hostOverride: String?

    public init(targets: [UpstreamTarget], basePath: [UInt8] = [], hostOverride: String? = nil) {
        self.targets = targets
        self.basePath = basePath
        self.hostOverride = hostOverride
    }
}

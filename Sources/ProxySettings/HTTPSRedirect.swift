/// The redirect of a plain HTTP request: the same host and target, by https.
public struct HTTPSRedirect: Sendable, Hashable {
    /// Of the https service; not named in the location if it is 443.
    public let port: Int

    public init(port: Int = 443) {
        self.port = port
    }
}

/// Redirect of a plain HTTP request to the same host and target with `https`.
public struct HTTPSRedirect: Sendable, Hashable {
    /// Port of the https service. Left out of `Location` if it is 443.
    public let port: Int

    public init(port: Int = 443) {
        self.port = port
    }
}

/// A metadata document (OpenID Connect Discovery 1.0 §4) at a provider's host.
public struct SampleDiscovery: Sendable, Hashable {
    public let path: String
    /// Value of `issuer` in the document, which may be a template, and of another host.
    public let issuer: String

    init(_ path: String, issuer: String) {
        self.path = path
        self.issuer = issuer
    }

    /// The document below an issuer that is the whole URL.
    init(below path: String = "", issuer: String) {
        self.init(path + "/.well-known/openid-configuration", issuer: issuer)
    }
}

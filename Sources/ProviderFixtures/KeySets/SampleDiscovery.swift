/// A metadata document (OpenID Connect Discovery 1.0 §4) at a provider's host.
public struct SampleDiscovery: Sendable, Hashable {
    public let path: String
    /// Value of `issuer` in the document. May be a template, and may have another host than the document.
    public let issuer: String

    init(_ path: String, issuer: String) {
        self.path = path
        self.issuer = issuer
    }

    /// Makes the document of an issuer at the default location: `/.well-known/openid-configuration` below its path.
    init(below path: String = "", issuer: String) {
        self.init(path + "/.well-known/openid-configuration", issuer: issuer)
    }
}

import ProxySettings

extension TLSIdentityCheck {
    /// What the gateway's own TLS library says of them.
    public static let library = TLSIdentityCheck { certificate, key throws(TLSIdentityProblem) in
        _ = try TLSIdentity(certificate: certificate, key: key)
    }
}

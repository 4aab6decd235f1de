/// Whether a certificate and a key, both in PEM, are an identity that TLS can use.
///
/// The TLS library answers. It is a value so that a configuration is read without linking that library.
public struct TLSIdentityCheck: Sendable {
    private let check: @Sendable (_ certificate: [UInt8], _ key: [UInt8]) throws(TLSIdentityProblem) -> Void

    public init(_ check: @escaping @Sendable (_ certificate: [UInt8], _ key: [UInt8]) throws(TLSIdentityProblem) -> Void) {
        self.check = check
    }

    /// Returns if the two belong together. Not checked: who issued the certificate, and whether it is in its time.
    public func callAsFunction(certificate: [UInt8], key: [UInt8]) throws(TLSIdentityProblem) {
        try check(certificate, key)
    }
}

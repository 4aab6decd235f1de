/// Checks of certificates and private keys, all in PEM, that the TLS library makes.
///
/// It is a value so that a configuration is read without linking that library.
public struct TLSIdentityCheck: Sendable {
    private let check: @Sendable (_ certificate: [UInt8], _ key: [UInt8]) throws(TLSIdentityProblem) -> Void
    private let readPeriods: @Sendable (_ certificates: [UInt8]) -> [CertificatePeriod]

    public init(
        _ check: @escaping @Sendable (_ certificate: [UInt8], _ key: [UInt8]) throws(TLSIdentityProblem) -> Void,
        periods: @escaping @Sendable (_ certificates: [UInt8]) -> [CertificatePeriod] = { _ in [] }
    ) {
        self.check = check
        readPeriods = periods
    }

    /// Throws unless the certificate and the key belong together. Not checked: the issuer and the validity period.
    public func callAsFunction(certificate: [UInt8], key: [UInt8]) throws(TLSIdentityProblem) {
        try check(certificate, key)
    }

    /// Validity periods of the certificates, in their order. Empty if one of them cannot be read.
    public func periods(of certificates: [UInt8]) -> [CertificatePeriod] {
        readPeriods(certificates)
    }
}

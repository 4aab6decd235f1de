import NIOSSL
import StrictJSON
import TokenVerification
import TransportSecurity

/// Facts about an upstream's certificate that error messages report: its names and its validity period.
struct PeerCertificate: Hashable {
    /// DNS names and IP addresses that the certificate is for.
    let names: [String]
    let notBefore: NumericDate
    let notAfter: NumericDate

    init(names: [String], notBefore: NumericDate, notAfter: NumericDate) {
        self.names = names
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    init(_ certificate: NIOSSLCertificate) {
        self.init(
            names: certificate.hostNames, notBefore: NumericDate(seconds: Double(certificate.notValidBefore)),
            notAfter: NumericDate(seconds: Double(certificate.notValidAfter)))
    }

    /// Limits of the names in an error message: their number, and the bytes of each. The upstream chose the names.
    static let mostNames = 5
    static let longestName = 64

    /// Error message if the certificate is within its validity period, or could not be read.
    static let distrust =
        "the certificate is not trusted: it was not issued by a known authority, or a certificate of its chain is not valid"

    /// Error message if the certificate does not contain the expected name.
    func mismatch(_ expected: String) -> String {
        guard !names.isEmpty else { return "the certificate contains no name; expected: \(expected)" }
        let told = names.prefix(Self.mostNames).map { $0.prefix(utf8Count: Self.longestName) }.joined(separator: ", ")
        return "the certificate is for \(told)\(names.count > Self.mostNames ? ", …" : ""); expected: \(expected)"
    }

    /// Error message if the certificate is not trusted: expired, not valid yet, or not verifiable.
    func invalidity(at now: NumericDate) -> String {
        if notAfter < now { return "the certificate expired at \(notAfter)" }
        if now < notBefore { return "the certificate is not valid before \(notBefore)" }
        return Self.distrust
    }
}

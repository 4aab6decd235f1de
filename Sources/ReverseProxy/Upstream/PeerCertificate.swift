import NIOSSL
import StrictJSON
import TokenVerification
import TransportSecurity

/// What is to be told of a certificate that an upstream showed.
struct PeerCertificate: Hashable {
    /// The DNS names and addresses that it is for.
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

    /// The most names that are told, and of each the most bytes: the upstream chose them.
    static let mostNames = 5
    static let longestName = 64

    /// For a certificate that is in its time, or could not be read.
    static let distrust =
        "the certificate is not trusted: no known authority issued it, or one of its chain is not valid"

    /// That it is not for the name that was expected.
    func mismatch(_ expected: String) -> String {
        guard !names.isEmpty else { return "the certificate is for no name; expected: \(expected)" }
        let told = names.prefix(Self.mostNames).map { $0.prefix(utf8Count: Self.longestName) }.joined(separator: ", ")
        return "the certificate is for \(told)\(names.count > Self.mostNames ? ", …" : ""); expected: \(expected)"
    }

    /// Why it is not trusted.
    func invalidity(at now: NumericDate) -> String {
        if notAfter < now { return "the certificate expired at \(notAfter)" }
        if now < notBefore { return "the certificate is not valid before \(notBefore)" }
        return Self.distrust
    }
}

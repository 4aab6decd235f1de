/// Validity period of a certificate (RFC 5280 §4.1.2.5), compared with a clock.
public struct CertificatePeriod: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        case valid
        /// Valid now, but for less than ``notice``.
        case endsSoon
        case expired
        case notYetValid
    }

    /// Time before the expiry of a certificate from which warnings are given, in seconds.
    public static let notice = 14.0 * 86_400

    /// First second in which the certificate is valid, since 1970.
    public let notBefore: Int
    /// Last second in which the certificate is valid, since 1970.
    public let notAfter: Int

    public init(notBefore: Int, notAfter: Int) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// State of the certificate at a time.
    ///
    /// - Parameter now: seconds since 1970.
    public func state(at now: Double) -> State {
        if Double(notAfter) < now { return .expired }
        if now < Double(notBefore) { return .notYetValid }
        return Double(notAfter) < now + Self.notice ? .endsSoon : .valid
    }
}

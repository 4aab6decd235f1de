/// When a certificate is valid, and what a clock says of it (RFC 5280 §4.1.2.5).
public struct CertificatePeriod: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        case valid
        /// Valid for less than ``notice``.
        case endsSoon
        case expired
        case notYetValid
    }

    /// How long before its end a certificate is told of, in seconds.
    public static let notice = 14.0 * 86_400

    /// The first second in which it is valid, since 1970.
    public let notBefore: Int
    /// The last one.
    public let notAfter: Int

    public init(notBefore: Int, notAfter: Int) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// - Parameter now: seconds since 1970.
    public func state(at now: Double) -> State {
        if Double(notAfter) < now { return .expired }
        if now < Double(notBefore) { return .notYetValid }
        return Double(notAfter) < now + Self.notice ? .endsSoon : .valid
    }
}

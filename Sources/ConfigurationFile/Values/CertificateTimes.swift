import ProxySettings
import TokenVerification

/// Warns of certificates that have expired, are not valid yet, or expire soon.
enum CertificateTimes {
    /// Warns about each certificate of a chain, at the value that holds the path. Peers verify the whole chain, so each
    /// one counts.
    static func judgeChain(_ pem: [UInt8], _ value: Value) {
        for (index, period) in value.reading.checkIdentity.periods(of: pem).enumerated() {
            warn(value, index == 0 ? "the certificate" : "certificate \(index + 1) of the chain", period)
        }
    }

    /// Warns about trust anchors unless one of them stays valid. While an authority is replaced, its old certificate is
    /// kept beside the new one.
    static func judgeAuthorities(_ pem: [UInt8], _ value: Value) {
        let periods = value.reading.checkIdentity.periods(of: pem)
        let now = value.reading.now.seconds
        guard !periods.contains(where: { $0.state(at: now) == .valid }) else { return }
        // Choose the one that is usable for longest.
        let begun = periods.filter { $0.state(at: now) != .notYetValid }
        guard let last = (begun.isEmpty ? periods : begun).max(by: { $0.notAfter < $1.notAfter }) else { return }
        warn(value, periods.count == 1 ? "the authority" : "the last of \(periods.count) authorities", last)
    }

    /// Warns about a certificate whose key verifies tokens, if it has expired. The key is used nevertheless.
    static func judgeKey(_ pem: [UInt8], _ value: Value) {
        for period in value.reading.checkIdentity.periods(of: pem)
        where period.state(at: value.reading.now.seconds) == .expired {
            value.warnOfTime(
                "the certificate expired at \(NumericDate(seconds: Double(period.notAfter)))",
                hint: "its key is used nevertheless; ask the issuer for the key that it signs with now")
        }
    }

    private static func warn(_ value: Value, _ subject: String, _ period: CertificatePeriod) {
        let (begin, end) = (
            NumericDate(seconds: Double(period.notBefore)), NumericDate(seconds: Double(period.notAfter))
        )
        switch period.state(at: value.reading.now.seconds) {
        case .valid: break
        case .endsSoon: value.warnOfTime("\(subject) expires at \(end)", hint: "renew it")
        case .expired: value.warnOfTime("\(subject) expired at \(end)", hint: "renew it")
        case .notYetValid:
            value.warnOfTime(
                "\(subject) is not valid before \(begin)",
                hint: "check this machine's clock, or use a certificate that is valid")
        }
    }
}

import ProxySettings
import TestSupport
import Testing
import TransportSecurity

struct CertificatePeriodTests {
    /// Seconds from the beginning of a hundred days, and the expected state.
    private static let moments: [(after: Double, state: CertificatePeriod.State)] = [
        (-1, .notYetValid), (-0.5, .notYetValid), (0, .valid), (7_430_399, .valid), (7_430_400, .valid),
        (7_430_400.5, .endsSoon),
        (7_430_401, .endsSoon), (8_640_000, .endsSoon), (8_640_000.5, .expired), (8_726_400, .expired),
    ]

    @Test(arguments: moments)
    func `an expiring certificate is reported from fourteen days before its last second`(
        after: Double, state: CertificatePeriod.State
    ) {
        let begin = 1_700_000_000
        let period = CertificatePeriod(notBefore: begin, notAfter: begin + 8_640_000)
        #expect(period.state(at: Double(begin) + after) == state)
    }

    @Test func `the TLS library reports the validity period of each certificate, in order`() {
        let chain = Array((SampleCertificates.localhost + "\n" + SampleCertificates.expired).utf8)
        let periods = TLSIdentityCheck.library.periods(of: chain)
        #expect(periods.map(\.notBefore) == [1_577_836_800, 1_577_836_800])
        #expect(periods.map(\.notAfter) == [4_733_510_400, 1_577_923_200])
        #expect(TLSIdentityCheck.library.periods(of: Array("no certificate".utf8)) == [])
    }
}

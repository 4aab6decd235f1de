import ProxySettings
import TestSupport
import Testing
import TransportSecurity

@Suite struct TLSIdentityTests {
    private static let key = Array(SampleCertificates.privateKey.utf8)

    @Test func `a certificate and its key form an identity with the certificate's names`() throws {
        let identity = try TLSIdentity(certificate: Array(SampleCertificates.localhost.utf8), key: Self.key)
        #expect(identity.names == ["localhost"])
        #expect(identity.period.notAfter > 4_000_000_000)
        let other = try TLSIdentity(certificate: Array(SampleCertificates.otherHost.utf8), key: Self.key)
        #expect(other.names == ["other.example"])
    }

    @Test func `an expired certificate is accepted as identity, with its period`() throws {
        let identity = try TLSIdentity(certificate: Array(SampleCertificates.expired.utf8), key: Self.key)
        #expect(identity.period.notAfter < 1_600_000_000)
    }

    @Test(arguments: ["", "no certificate", SampleCertificates.privateKey])
    func `text without a certificate is refused`(text: String) {
        #expect(throws: TLSIdentityProblem.noCertificate) {
            try TLSIdentity(certificate: Array(text.utf8), key: Self.key)
        }
    }

    @Test(arguments: ["", "no key", SampleCertificates.localhost])
    func `text without a private key is refused`(text: String) {
        #expect(throws: TLSIdentityProblem.noKey) {
            try TLSIdentity(certificate: Array(SampleCertificates.localhost.utf8), key: Array(text.utf8))
        }
    }

    @Test(arguments: [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n",
    ])
    func `an encrypted key is refused without asking for its passphrase`(text: String) {
        #expect(throws: TLSIdentityProblem.encryptedKey) {
            try TLSIdentity(certificate: Array(SampleCertificates.localhost.utf8), key: Array(text.utf8))
        }
    }

    @Test func `the private key of another certificate is refused`() throws {
        let authority = try CertificateAuthority()
        let (one, other) = (try authority.issue("one"), try authority.issue("other"))
        #expect(throws: TLSIdentityProblem.keyOfAnotherCertificate) {
            try TLSIdentity(certificate: try bytes(of: one.certificate), key: try bytes(of: other.key))
        }
        #expect(
            try TLSIdentity(certificate: bytes(of: one.certificate), key: bytes(of: one.key)).names == ["localhost"])
    }

    @Test func `a listener needs at least one certificate, and so do trust anchors`() {
        #expect(throws: ListenerSecurityProblem.noCertificate) { try ListenerSecurity(identities: [], protocols: []) }
        #expect(TrustAnchors(pem: []) == nil)
        #expect(TrustAnchors(pem: Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)) == nil)
        #expect(TrustAnchors(pem: Array(SampleCertificates.trustAnchor.utf8)) != nil)
    }
}

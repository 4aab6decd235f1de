import ConfigurationFile
import Foundation
import TestSupport
import Testing
import TokenVerification
import TransportSecurity

/// Problems of certificates that have expired, are not valid yet, or expire soon.
struct CertificateTimesTests {
    /// Location of a certificate in a file, and its name in a problem.
    enum Place: CaseIterable {
        case listener, oneOfSeveral, upstream, issuer

        /// - Parameter pem: the name of the file.
        func file(_ pem: String) -> String {
            let pair = "certificate: \(pem), key: a.key"
            return switch self {
            case .listener: CertificateTimesTests.file(listen: "{address: 127.0.0.1:8443, tls: {\(pair)}}")
            case .oneOfSeveral:
                CertificateTimesTests.file(listen: "{address: 127.0.0.1:8443, tls: {certificates: [{\(pair)}]}}")
            case .upstream: CertificateTimesTests.file(upstreamTLS: "{\(pair)}")
            case .issuer: CertificateTimesTests.file(issuer: "client_certificate: {\(pair)}")
            }
        }

        var keyPath: String {
            switch self {
            case .listener: "listen.tls.certificate"
            case .oneOfSeveral: "listen.tls.certificates[0].certificate"
            case .upstream: "resources[\"https://a.example/\"].upstream_tls.certificate"
            case .issuer: "issuers.partner.client_certificate.certificate"
            }
        }
    }

    /// Location of a CA file in a configuration, and its name in a problem.
    enum AuthorityPlace: CaseIterable {
        case listener, upstream, issuer

        func file(_ pem: String) -> String {
            switch self {
            case .listener:
                CertificateTimesTests.file(
                    listen:
                        "{address: 127.0.0.1:8443, tls: {certificate: good.pem, key: a.key, client_ca: \(pem), client_certificate: required}}"
                )
            case .upstream: CertificateTimesTests.file(upstreamTLS: "{ca_file: \(pem)}")
            case .issuer: CertificateTimesTests.file(issuer: "ca_file: \(pem)")
            }
        }

        var keyPath: String {
            switch self {
            case .listener: "listen.tls.client_ca"
            case .upstream: "resources[\"https://a.example/\"].upstream_tls.ca_file"
            case .issuer: "issuers.partner.ca_file"
            }
        }
    }

    private static func file(
        listen: String = "127.0.0.1:8080", upstreamTLS: String = "{}", issuer: String = "leeway: 30s"
    ) -> String {
        """
        listen: \(listen)
        issuers: {partner: {issuer: https://id.example, token_type: at+jwt, \(issuer)}}
        resources:
          "https://a.example/":
            {issuers: partner, upstream: "https://127.0.0.1:9000", upstream_tls: \(upstreamTLS), rules: {ANY /**: authenticated}}
        """
    }

    private static func problems(_ file: String, at time: String) throws -> [Problem] {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let (good, short) = (SampleCertificates.localhost, SampleCertificates.expired)
        let files = [
            "good.pem": good, "short.pem": short, "chain.pem": good + "\n" + short, "both.pem": short + "\n" + good,
            "shorts.pem": short + "\n" + short, "a.key": SampleCertificates.privateKey,
        ]
        for (name, text) in files {
            let file = try folder.write(text, to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        let now = try #require(NumericDate(written: time))
        return Configuration.load(
            bytes: Array(file.utf8), directory: folder.url.path, environment: [:], checkIdentity: .library, at: now
        ).problems
    }

    /// Problems with their keys, one per line.
    private static func told(_ file: String, at time: String) throws -> [String] {
        try problems(file, at: time).map { problem in
            #expect(problem.severity == .warning)
            #expect(problem.followsTheClock)
            return "\(problem.keyPath): \(problem.message); \(problem.hint ?? "")"
        }
    }

    @Test(arguments: Place.allCases)
    func `a certificate not yet valid, about to expire or expired is reported, wherever it is configured`(
        _ place: Place
    ) throws {
        let (file, key) = (place.file("short.pem"), place.keyPath)
        let early =
            "the certificate is not valid before 2020-01-01T00:00:00Z; check this machine's clock, or use a certificate that is valid"
        #expect(try Self.told(file, at: "2019-12-31T23:59:59Z") == ["\(key): \(early)"])
        #expect(
            try Self.told(file, at: "2020-01-01T00:00:00Z") == [
                "\(key): the certificate expires at 2020-01-02T00:00:00Z; renew it"
            ])
        #expect(
            try Self.told(file, at: "2020-01-02T00:00:00Z") == [
                "\(key): the certificate expires at 2020-01-02T00:00:00Z; renew it"
            ])
        #expect(
            try Self.told(file, at: "2020-01-02T00:00:01Z") == [
                "\(key): the certificate expired at 2020-01-02T00:00:00Z; renew it"
            ])
        #expect(try Self.told(place.file("good.pem"), at: "2020-01-01T00:00:00Z") == [])
        #expect(try Self.told(place.file("good.pem"), at: "2119-12-18T00:00:00Z") == [])
        #expect(
            try Self.told(place.file("good.pem"), at: "2119-12-18T00:00:01Z") == [
                "\(key): the certificate expires at 2120-01-01T00:00:00Z; renew it"
            ])
    }

    @Test(arguments: Place.allCases)
    func `each certificate of a chain is checked for its validity period`(_ place: Place) throws {
        let key = place.keyPath
        #expect(
            try Self.told(place.file("chain.pem"), at: "2026-01-01T00:00:00Z") == [
                "\(key): certificate 2 of the chain expired at 2020-01-02T00:00:00Z; renew it"
            ])
        #expect(
            try Self.told(place.file("both.pem"), at: "2026-01-01T00:00:00Z") == [
                "\(key): the certificate expired at 2020-01-02T00:00:00Z; renew it"
            ])
    }

    @Test(arguments: AuthorityPlace.allCases)
    func `authorities are reported if none of them stays valid, wherever they are configured`(_ place: AuthorityPlace)
        throws
    {
        let key = place.keyPath
        #expect(
            try Self.told(place.file("short.pem"), at: "2026-01-01T00:00:00Z") == [
                "\(key): the authority expired at 2020-01-02T00:00:00Z; renew it"
            ])
        #expect(
            try Self.told(place.file("shorts.pem"), at: "2020-01-01T00:00:00Z") == [
                "\(key): the last of 2 authorities expires at 2020-01-02T00:00:00Z; renew it"
            ])
        #expect(try Self.told(place.file("both.pem"), at: "2026-01-01T00:00:00Z") == [])
        let late = try Self.told(place.file("both.pem"), at: "2120-01-01T00:00:01Z").filter { $0.hasPrefix(key) }
        #expect(late == ["\(key): the last of 2 authorities expired at 2120-01-01T00:00:00Z; renew it"])
    }

    @Test func `authorities that are not valid yet are reported`() throws {
        let early =
            "the last of 2 authorities is not valid before 2020-01-01T00:00:00Z; check this machine's clock, or use a certificate that is valid"
        let told = try Self.told(AuthorityPlace.upstream.file("both.pem"), at: "2019-12-31T23:59:59Z")
        #expect(told == ["\(AuthorityPlace.upstream.keyPath): \(early)"])
    }

    @Test func `a file without a readable certificate is reported regardless of the clock`() throws {
        let problems = try Self.problems(Place.listener.file("a.key"), at: "2026-01-01T00:00:00Z")
        #expect(problems.map(\.message) == ["holds no PEM certificate"])
        #expect(problems.map(\.followsTheClock) == [false])
    }
}

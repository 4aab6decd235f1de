import ConfigurationFile
import TestSupport
import Testing

struct CredentialCaseTests {
    private let folder: FolderOfSecrets
    private static let keys = #"""
        {"keys": [{"kty": "EC", "crv": "P-256", "use": "sig", "kid": "1",
          "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
        """#

    init() throws {
        folder = try FolderOfSecrets([
            ("secret", "xyzzy\n"), ("open", "xyzzy"), ("empty", " \n"), ("lines", "a\nb\n"),
            ("long", String(repeating: "x", count: 16_385)),
            ("client.pem", SampleCertificates.localhost), ("client.key", SampleCertificates.privateKey),
            ("keys.json", Self.keys),
        ])
    }

    @Test(arguments: try ProblemCase.all("credentials"))
    func `a mistake in the credentials for an issuer's server is reported with its location`(_ example: ProblemCase) {
        #expect(folder.load(example.text).problems.map { $0.rendered(file: "FILE") } == example.problems)
    }
}

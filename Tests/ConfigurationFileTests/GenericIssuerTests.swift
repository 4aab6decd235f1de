import ConfigurationFile
import TestSupport
import Testing
import TokenVerification

struct GenericIssuerTests {
    private struct Refused: Error {}

    private func refused(_ issuer: String) throws -> [RefusedIssuer] {
        let text = try ProblemCase.base().replacing("https://id.partner.example", with: issuer, maxReplacements: 1)
        let result = Configuration.load(
            text: text, directory: ProblemCase.directory, environment: ProblemCase.environment)
        guard case .success(let configuration, _) = result, let partner = configuration.issuers.first else {
            throw Refused()
        }
        return partner.trusted.refusedIdentifiers
    }

    @Test func `a URL that no token has as issuer gets a hint with the real issuer`() throws {
        let guid = "7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755"
        let found = try refused("https://login.microsoftonline.com/common/v2.0")
        #expect(
            found.contains {
                $0.identifier.matches("https://login.microsoftonline.com/\(guid)/v2.0") && $0.hint.contains("`common`")
            })
        #expect(try refused("https://login.microsoftonline.com/\(guid)/v2.0") == [])
        #expect(try refused("https://id.example") == [])
    }
}

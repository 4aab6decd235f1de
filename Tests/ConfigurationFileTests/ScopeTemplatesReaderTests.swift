import ConfigurationFile
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// `ask_for`: the scope names it produces for each issuer of a resource.
struct ScopeTemplatesReaderTests {
    private struct Refused: Error {}

    private func names(_ line: String) throws -> [String] {
        let resource = "issuers: [partner, customers]\n    audiences: {partner: a, customers: b}\n    \(line)"
        let text = try ProblemCase.base().replacing("issuers: [partner]", with: resource, maxReplacements: 1)
        let result = Configuration.load(
            text: text, directory: ProblemCase.directory, environment: ProblemCase.environment)
        guard case .success(let configuration, _) = result, let orders = configuration.protectedResources.first else {
            throw Refused()
        }
        return orders.issuers.map { $0.scopeTemplate?.name(of: "read") ?? "-" }
    }

    @Test(arguments: [
        ("metadata: none", ["-", "-"]), ("ask_for: \"api://x/{scope}\"", ["api://x/read", "api://x/read"]),
        ("ask_for: {customers: \"api://x/{scope}\"}", ["-", "api://x/read"]),
        ("ask_for: {customers: \"api://x/{scope}\", partner: \"{scope}@y\"}", ["read@y", "api://x/read"]),
        ("ask_for: {}", ["-", "-"]),
    ])
    func `a single scope template applies to all issuers, a mapping only to the issuers it names`(
        line: String, names: [String]
    ) throws {
        #expect(try self.names(line) == names)
    }
}

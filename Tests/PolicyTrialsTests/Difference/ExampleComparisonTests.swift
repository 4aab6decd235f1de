import AccessControl
import Foundation
import PolicyTrials
import ProxySettings
import RequestAuthorization
import Testing
import TokenVerification

@testable import ConfigurationFile

/// Tokens are found for every provider: for each rule of each example and each issuer, one that the rule refuses and a
/// less strict rule accepts.
struct ExampleComparisonTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../deploy/examples").standardizedFileURL

    static let examples: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".yaml") && !$0.hasSuffix(".tests.yaml") }.sorted()
    }()

    private static func configuration(_ name: String) throws -> Configuration? {
        let result = Configuration.load(
            bytes: Array(try Data(contentsOf: folder.appending(path: name))), directory: folder.path + "/",
            environment: [:],
            checkIdentity: TLSIdentityCheck { _, _ in })
        guard case .success(let configuration, _) = result else { return nil }
        return configuration
    }

    @Test func `the comparison examples are found`() {
        #expect(Self.examples.count > 15)
    }

    @Test(arguments: examples)
    func `each issuer has a token that one rule refuses and a rule for any token accepts`(_ name: String) throws {
        // Some examples name files that do not exist.
        guard let example = try Self.configuration(name) else { return }
        #expect(try PolicyComparison(example, example).differences.isEmpty)
        for (index, configured) in example.resources.indexed {
            let resource = configured.terms
            // An observed rule already forwards every request, and one in maintenance forwards none.
            let enforced = resource.policies.indexed.filter {
                resource.mode(of: $0.index) == .enforce
                    && resource.maintenance(of: $0.index, at: PolicyComparison.time) == nil
            }
            for (rule, policy) in enforced where policy.requirements?.isEmpty == false {
                for issuer in resource.issuers {
                    var (old, new) = (example, example)
                    old.resources.update(index) { $0.terms.issuers = [issuer] }
                    new.resources.update(index) {
                        $0.terms.issuers = [issuer]
                        $0.terms.policies.update(rule) { $0 = .token([]) }
                    }
                    let comparison = try PolicyComparison(old, new)
                    let found = comparison.differences.filter { $0.kind == .nowAllowed && $0.new.rule == $0.old.rule }
                    #expect(
                        found.count == 1, "\(name): \(configured.rules[rule]?.name ?? ""), \(issuer.issuer)")
                    #expect(comparison.undecided.isEmpty && comparison.contradictions.isEmpty)
                }
            }
        }
    }
}

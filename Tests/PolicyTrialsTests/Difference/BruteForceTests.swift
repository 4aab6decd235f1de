import AssumedTokens
import ConfigurationFile
import Foundation
import PolicyTrials
import ProxySettings
import RequestAuthorization
import TestSupport
import Testing

/// The comparison finds the same differences as trying every request, over random pairs of small files.
///
/// `BEARWARD_PAIRS` sets the number of pairs, `BEARWARD_SEED` the seed.
struct BruteForceTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let pairs = environment["BEARWARD_PAIRS"].flatMap { Int($0) }
    private static let seed = environment["BEARWARD_SEED"].flatMap { UInt64($0) } ?? 1
    /// With more tokens than this, one request per pair of rules is tried with each token; otherwise two.
    private static let manyTokens = 30

    /// A request that matched these rules in the two files, and the difference.
    private struct Found: Hashable {
        let old: String
        let new: String
        let difference: String
    }

    private static func configuration(_ policy: RandomPolicy) -> Configuration? {
        let result = Configuration.load(
            bytes: Array(policy.yaml.utf8), directory: "", environment: [:], checkIdentity: TLSIdentityCheck { _, _ in }
        )
        guard case .success(let configuration, _) = result else { return nil }
        return configuration
    }

    @Test(.timeLimit(.minutes(300)), arguments: Effort.some([30, 150], quick: 1))
    func `the comparison finds every difference that brute force finds, and no false one`(_ usual: Int) throws {
        let pairs = Self.pairs ?? usual
        var generator = PolicyGenerator(seed: Self.seed)
        var (compared, refused, tried, found) = (0, 0, 0, 0)
        while compared < pairs {
            let (old, new) = generator.pair()
            guard let before = Self.configuration(old), let after = Self.configuration(new) else {
                refused += 1
                try #require(refused < 20 * pairs, "hardly a file can be loaded")
                continue
            }
            compared += 1
            generator.count()
            let comparison = try PolicyComparison(before, after)
            let (oldPolicy, newPolicy) = (try JudgedPolicy(before), try JudgedPolicy(after))
            let told = Set(try comparison.differences.flatMap { try Self.findings($0, oldPolicy, newPolicy) })
            let all = try Self.bruteForce(oldPolicy, newPolicy, generator.topics, text: old.yaml + new.yaml, &tried)
            let missed = all.filter { !told.contains($0.key) }
            #expect(
                missed.isEmpty && comparison.undecided.isEmpty && comparison.contradictions.isEmpty,
                """
                pair \(compared) of seed \(Self.seed): \(missed)
                \(comparison.undecided + comparison.contradictions)
                \(old.yaml)---
                \(new.yaml)
                """
            )
            found += told.count
            if !missed.isEmpty { return }
        }
        let rare = generator.drawn.sorted { $0.value < $1.value }.prefix(3).map { "\($0.key) \($0.value)" }
        print(
            "\(compared) pairs of seed \(Self.seed): \(found) differences, \(tried) requests tried; least drawn: \(rare)"
        )
        #expect(PolicyGenerator.allForms.isSuperset(of: generator.drawn.keys))
        // Of 10,000 pairs, 500 have each form. A few pairs may lack one.
        let least = pairs >= 2000 ? pairs / 20 : pairs >= 150 ? 1 : 0
        for form in PolicyGenerator.allForms { #expect(generator.drawn[form, default: 0] >= least, "\(form)") }
    }

    /// A field line with the token at its end, or in the place of `%`.
    private static func line(_ field: String, _ token: String) -> String {
        field.contains("%") ? field.replacing("%", with: token) : field + token
    }

    /// Judges the example of a difference once more.
    private static func findings(_ difference: Difference, _ old: JudgedPolicy, _ new: JudgedPolicy) throws -> [Found] {
        let witness = difference.witness
        let head = try JudgedPolicy.head(witness.method, witness.url, witness.fields)
        let (before, after) = (old.outcome(head), new.outcome(head))
        let differences = before.differences(to: after)
        #expect(!differences.isEmpty)
        switch difference.kind {
        case .nowAllowed, .nowRefused: #expect(differences == [difference.kind.rawValue])
        case .goesElsewhere: #expect(Set(differences) == Set(difference.changes.map(\.aspect.name)))
        }
        return differences.map { Found(old: before.rule, new: after.rule, difference: $0) }
    }

    /// Every difference, with a request that shows it.
    private static func bruteForce(
        _ old: JudgedPolicy, _ new: JudgedPolicy, _ topics: [PolicyGenerator.Topic], text: String, _ tried: inout Int
    ) throws -> [Found: String] {
        var found: [Found: String] = [:]
        func compare(
            _ method: String, _ url: String, _ fields: [String], _ about: String, _ token: RequestDomain.Token? = nil
        ) throws -> (String, String) {
            tried += 1
            let head = try JudgedPolicy.head(method, url, fields)
            let (before, after) = (old.outcome(head), new.outcome(head))
            for difference in before.differences(to: after) {
                let kind = Found(old: before.rule, new: after.rule, difference: difference)
                if found[kind] == nil { found[kind] = "\(method) \(url) \(about) \(token.map { "\($0)" } ?? "")" }
            }
            return (before.rule, after.rule)
        }
        let hasHosts = text.contains("example/") || text.contains(":8443")
        let hasOdd = text.contains(": keep\n")
        let hasNames = text.contains("\"{id}\"")
        let names = ["X-Token", "X-Other"].filter(text.contains).map { "\($0): " }
        var fields = (["Authorization: Bearer "] + names).reduce(into: [[]]) { sets, name in
            sets += sets.map { $0 + [name] }
        }.filter { !$0.isEmpty }
        if text.contains("authorization: pass") {
            // Behind the token, other credentials.
            let others = fields.filter { !$0.contains("Authorization: Bearer ") }
            fields += others.map { $0.dropLast() + [($0.last ?? "") + "%\r\nAuthorization: Basic eDp5"] }
        }
        let tokens = RequestDomain.tokens(
            topics, hasPartner: text.contains("partner:"), hasDepartment: text.contains("dept")
        ).map { token in
            (
                token: token,
                compact: AssumedToken(
                    header: RequestDomain.Token.json(token.header), claims: RequestDomain.Token.json(token.claims)
                ).compact
            )
        }
        var alike: [String: Int] = [:]
        var requests: [(method: String, url: String)] = []
        for host in hasHosts ? RequestDomain.hosts : ["elsewhere.test"] {
            for path in RequestDomain.paths where hasOdd || !RequestDomain.isOdd(path) {
                for method in RequestDomain.methods {
                    let url = "http://\(host)\(path)"
                    let rules = try compare(method, url, [], "without credentials")
                    let isByPath = text.contains("upstream: {") ? String(path.dropFirst(3).prefix(2)) : ""
                    let key = "\(rules) \(isByPath) \(RequestDomain.isOdd(path))"
                    alike[key, default: 0] += 1
                    if alike[key, default: 0] <= (hasNames ? 5 : tokens.count > Self.manyTokens ? 1 : 2) {
                        requests.append((method, url))
                    }
                }
            }
        }
        for request in requests {
            _ = try compare(request.method, request.url, ["Authorization: Basic eDp5"], "with broken credentials")
            for (token, compact) in tokens {
                for names in fields {
                    _ = try compare(
                        request.method, request.url, names.map { Self.line($0, compact) }, names.joined(), token)
                }
            }
        }
        return found
    }
}

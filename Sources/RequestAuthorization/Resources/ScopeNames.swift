import AccessControl
import TokenVerification

/// The names by which clients ask for the scopes of a resource's rules. Nothing is decided by them.
struct ScopeNames: Sendable {
    private struct Issuer: Sendable {
        let index: IssuerIndex
        /// As the file calls it.
        let name: String
        /// Nil if clients ask by the names that tokens have.
        let template: ScopeTemplate?
    }

    /// In the resource's order.
    private let issuers: [Issuer]

    init(_ issuers: [(accepted: AcceptedIssuer, issuer: TrustedIssuer)]) {
        self.issuers = issuers.map { accepted, issuer in
            Issuer(index: accepted.issuer, name: issuer.name, template: accepted.scopeTemplate ?? issuer.scopeTemplate)
        }
    }

    /// The `scope` of a challenge (RFC 6750 §3); nil if the policy asks for none.
    ///
    /// - Parameters:
    ///   - missed: the index of the requirement that a token does not meet; nil: no token was judged.
    ///   - index: the issuer of that token, which is proved; nil: the first one of the resource whose tokens the policy
    ///     takes is asked.
    func challenge(_ policy: AccessPolicy, missed: Int?, issuer index: IssuerIndex?) -> String? {
        let scopes = policy.challengeScopes(missed: missed).filter(ScopeTemplate.isForResources)
        guard !scopes.isEmpty else { return nil }
        let asked = index.flatMap(known) ?? first(policy.challengeIssuers(missed: missed))
        return Self.names(of: scopes, at: asked).joined(separator: " ")
    }

    /// The names at all issuers, for the metadata (RFC 9728 §2); some may stand there more than once.
    func all(_ scopes: [String]) -> [String] {
        let scopes = scopes.filter(ScopeTemplate.isForResources)
        guard !issuers.isEmpty else { return scopes }
        return issuers.flatMap { Self.names(of: scopes, at: $0) }
    }

    /// Says to a person by which names clients ask for scopes; empty if those are the names in tokens.
    ///
    /// - Parameter index: the issuer of a token that was verified; nil: there is none, and all issuers are told.
    func note(on scopes: [String], issuer index: IssuerIndex?) -> String {
        let asked = index.flatMap(known).map { [$0] } ?? issuers
        let notes = asked.compactMap { issuer -> String? in
            let names = Self.names(of: scopes, at: issuer)
            return names == scopes ? nil : "; clients ask \(issuer.name) for \(names.joined(separator: " "))"
        }
        return notes.joined()
    }

    private func known(_ index: IssuerIndex) -> Issuer? { issuers.first { $0.index == index } }

    /// - Parameter names: of which the issuer must be one; nil: any.
    private func first(_ names: [String]?) -> Issuer? {
        guard let names else { return issuers.first }
        return issuers.first { issuer in names.contains { $0.utf8.elementsEqual(issuer.name.utf8) } } ?? issuers.first
    }

    private static func names(of scopes: [String], at issuer: Issuer?) -> [String] {
        guard let template = issuer?.template else { return scopes }
        return scopes.map(template.name)
    }
}

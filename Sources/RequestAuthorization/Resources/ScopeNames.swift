import AccessControl
import TokenVerification

/// Names by which clients request the scopes of a resource's rules. No decision depends on them.
struct ScopeNames: Sendable {
    private struct Issuer: Sendable {
        let index: IssuerIndex
        /// Name of the issuer in the configuration file.
        let name: String
        /// Template for the requested names. Nil if clients request the names that tokens have.
        let template: ScopeTemplate?
    }

    /// Issuers in the resource's order.
    private let issuers: [Issuer]
    /// True if clients request other names than tokens have from at least one issuer.
    private let areChanged: Bool

    init(_ issuers: [(accepted: AcceptedIssuer, issuer: TrustedIssuer)]) {
        self.issuers = issuers.map { accepted, issuer in
            Issuer(index: accepted.issuer, name: issuer.name, template: accepted.scopeTemplate ?? issuer.scopeTemplate)
        }
        areChanged = self.issuers.contains { $0.template != nil }
    }

    /// The `scope` of a challenge (RFC 6750 §3). Nil if the policy requires none.
    ///
    /// - Parameters:
    ///   - missed: the index of the requirement that a token does not meet. Nil if no token was judged.
    ///   - index: the proved issuer of that token. Nil to use the resource's first issuer that the policy accepts.
    func challenge(_ policy: AccessPolicy, missed: Int?, issuer index: IssuerIndex?) -> String? {
        var scopes = policy.challengeScopes(missed: missed)
        scopes.removeAll { !ScopeTemplate.isForResources($0) }
        guard !scopes.isEmpty else { return nil }
        let asked = index.flatMap(known) ?? first(policy.challengeIssuers(missed: missed))
        return Self.names(of: scopes, at: asked).joined(separator: " ")
    }

    /// Names of the scopes at all issuers, for the metadata (RFC 9728 §2); may contain duplicates.
    func all(_ scopes: [String]) -> [String] {
        let scopes = scopes.filter(ScopeTemplate.isForResources)
        guard !issuers.isEmpty else { return scopes }
        return issuers.flatMap { Self.names(of: scopes, at: $0) }
    }

    /// Text for people: the names by which clients request these scopes. Empty if they are the names in tokens.
    ///
    /// - Parameter index: the issuer of a verified token. Nil if there is none; then all issuers are named.
    func note(on scopes: [String], issuer index: IssuerIndex?) -> String {
        guard areChanged else { return "" }
        let asked = index.flatMap(known).map { [$0] } ?? issuers
        let notes = asked.compactMap { issuer -> String? in
            let names = Self.names(of: scopes, at: issuer)
            return names == scopes ? nil : "; clients ask \(issuer.name) for \(names.joined(separator: " "))"
        }
        return notes.joined()
    }

    private func known(_ index: IssuerIndex) -> Issuer? { issuers.first { $0.index == index } }

    /// - Parameter names: issuers that are acceptable. Nil if any is.
    private func first(_ names: [String]?) -> Issuer? {
        guard let names else { return issuers.first }
        return issuers.first { issuer in names.contains { $0.utf8.elementsEqual(issuer.name.utf8) } } ?? issuers.first
    }

    private static func names(of scopes: [String], at issuer: Issuer?) -> [String] {
        guard let template = issuer?.template else { return scopes }
        return scopes.map(template.name)
    }
}

import AccessControl
import RequestAuthorization
import TokenVerification

/// Finds scopes that rules ask for but issuers do not list in their metadata (`scopes_supported`, RFC 8414 §2).
///
/// Issuers may list fewer scopes than they have, so cases of doubt are not reported.
struct UnlistedScopes {
    let configuration: Configuration
    /// Scopes in the metadata of each issuer. An issuer without a known list is missing.
    let listed: [IssuerIndex: [String]]

    /// Notes on unlisted scopes, each at the first rule of a resource that asks for the scope.
    var notes: [Problem] {
        configuration.resources.flatMap(notes)
    }

    private func notes(_ resource: ConfiguredResource) -> [Problem] {
        // A scope that one issuer does not list may be another issuer's.
        let issuers = resource.terms.issuers.map(lister)
        let known = issuers.compactMap { $0 }
        guard !known.isEmpty, known.count == issuers.count else { return [] }
        var told: Set<String> = []
        return zip(resource.terms.policies, resource.rules).flatMap { policy, rule in
            let unlisted = policy.knownScopes.filter { scope in
                !known.contains { $0.has(scope) } && told.insert(scope).inserted
            }
            return unlisted.map { note(on: $0, known, at: rule.place) }
        }
    }

    private func note(on scope: String, _ issuers: [Lister], at place: FilePlace) -> Problem {
        let nearest = NearestName.of(scope, among: issuers.flatMap(\.names))
        let who = issuers.count == 1 ? "the issuer lists" : "the issuers list"
        return place.problem(
            .note, "`\(scope)` is not among the scopes that \(who)", hint: nearest.map { "did you mean `\($0)`?" })
    }

    /// List of an accepted issuer. Nil if the list says nothing about the scopes in its tokens.
    private func lister(_ accepted: AcceptedIssuer) -> Lister? {
        let index = accepted.issuer
        guard let issuer = configuration.issuers[index]?.trusted, let listed = listed[index],
            listed.contains(where: Self.isOfAnAPI),
            issuer.scopeClaims.allSatisfy(Self.scopeClaims.contains)
        else { return nil }
        return Lister(listed: listed, prefix: issuer.scopePrefix, template: accepted.scopeTemplate)
    }

    /// Claims with scopes. Other claims have permissions, which metadata does not list.
    private static let scopeClaims: Set<ClaimPath> = [ClaimPath(member: "scope"), ClaimPath(member: "scp")]

    /// Names for sign-in. Entra ID and Logto list only such scopes. So does Auth0, with names of claims among them
    /// (OpenID Connect Core 1.0 §5.1).
    private static let ofSignIn: Set<String> = [
        "openid", "profile", "email", "address", "phone", "offline_access", "name", "given_name", "family_name",
        "middle_name", "nickname",
        "preferred_username", "picture", "website", "email_verified", "phone_number", "phone_number_verified", "gender",
        "birthdate",
        "zoneinfo", "locale", "updated_at", "created_at", "identities", "custom_data", "roles", "groups", "device_sso",
        "online_access",
    ]

    private static func isOfAnAPI(_ scope: String) -> Bool {
        !ofSignIn.contains(scope) && !scope.hasPrefix("urn:logto:")
    }

    /// Scopes that one issuer lists.
    private struct Lister {
        let listed: [String]
        /// Prefix of an API's scopes in tokens, which rules leave out.
        let prefix: String
        /// Template by which clients ask for scopes. Nil if the file has none.
        let template: ScopeTemplate?

        /// True if the scope is listed under its name in tokens, or under the full name that clients ask for. The name
        /// in tokens is mostly the last part of the full name.
        func has(_ scope: String) -> Bool {
            let asked = template?.name(of: scope)
            return listed.contains { $0 == scope || $0 == prefix + scope || $0 == asked || $0.hasSuffix("/" + scope) }
        }

        /// Listed names in the form for rules.
        var names: [String] {
            listed.map { prefix.isEmpty || !$0.hasPrefix(prefix) ? $0 : String($0.dropFirst(prefix.count)) }
        }
    }
}

extension Configuration {
    /// Notes on scopes that rules ask for but their issuers do not list.
    ///
    /// - Parameter listed: scopes in each issuer's metadata, for issuers whose list is known.
    public func unlistedScopes(_ listed: [IssuerIndex: [String]]) -> [Problem] {
        UnlistedScopes(configuration: self, listed: listed).notes
    }
}

import AccessControl
import RequestAuthorization
import TokenVerification

/// Finds scopes that rules ask for and issuers do not list in their metadata (`scopes_supported`, RFC 8414 §2).
///
/// An issuer may list less than it has, so whatever is in doubt is not told.
struct UnlistedScopes {
    let configuration: Configuration
    /// What each issuer lists; none for issuers whose list is not known.
    let listed: [IssuerIndex: [String]]

    /// A note for each such scope, at the first rule of a resource that asks for it.
    var notes: [Problem] {
        configuration.resources.flatMap(notes)
    }

    private func notes(_ resource: ConfiguredResource) -> [Problem] {
        // What one issuer does not list may be just what another has.
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

    /// nil: what the issuer lists says nothing of the scopes that its tokens have.
    private func lister(_ accepted: AcceptedIssuer) -> Lister? {
        let index = accepted.issuer
        guard let issuer = configuration.issuers[index]?.trusted, let listed = listed[index],
            listed.contains(where: Self.isOfAnAPI),
            issuer.scopeClaims.allSatisfy(Self.scopeClaims.contains)
        else { return nil }
        return Lister(listed: listed, prefix: issuer.scopePrefix, template: accepted.scopeTemplate)
    }

    /// Other claims have permissions, which no metadata lists.
    private static let scopeClaims: Set<ClaimPath> = [ClaimPath(member: "scope"), ClaimPath(member: "scp")]

    /// Entra lists what it has for signing in alone; so do Auth0, by the names of claims (OpenID Connect Core 1.0
    /// §5.1), and Logto.
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

    /// What one issuer lists.
    private struct Lister {
        let listed: [String]
        /// Before each scope of an API in tokens, and not in rules.
        let prefix: String
        /// How clients ask for scopes, where the file says so.
        let template: ScopeTemplate?

        /// Under the name that tokens have, or the full one that clients ask for, of which it mostly is the last part.
        func has(_ scope: String) -> Bool {
            let asked = template?.name(of: scope)
            return listed.contains { $0 == scope || $0 == prefix + scope || $0 == asked || $0.hasSuffix("/" + scope) }
        }

        /// As rules have them.
        var names: [String] {
            listed.map { prefix.isEmpty || !$0.hasPrefix(prefix) ? $0 : String($0.dropFirst(prefix.count)) }
        }
    }
}

extension Configuration {
    /// A note for each scope that rules ask for and their issuers, which list others, do not list.
    ///
    /// - Parameter listed: what each issuer's metadata lists, where it is known.
    public func unlistedScopes(_ listed: [IssuerIndex: [String]]) -> [Problem] {
        UnlistedScopes(configuration: self, listed: listed).notes
    }
}

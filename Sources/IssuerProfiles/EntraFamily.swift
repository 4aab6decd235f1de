import KeySets
import TokenVerification

/// Rules that Entra ID, External ID and Azure AD B2C have in common.
enum EntraFamily {
    static let guidHint = "use the directory (tenant) id, the GUID on the tenant's overview page"
    static let clientHint = "write application (client) ids, GUIDs"
    /// Prefix of the Application ID URI that the portal proposes; the client ID follows it.
    static let scopeURIPrefix = "api://"

    /// Key set configuration for these systems. Their responses contain varying subsets of the keys, so a key is kept
    /// for a day after it was last seen.
    ///
    /// The price: a key that was withdrawn in an emergency is trusted for that long, unless `denied_keys` names it.
    static func keySet(_ source: KeySetSource, issuer: String, ofManyTenants: Bool = false) -> KeySetConfiguration {
        var keySet = KeySetConfiguration(source: source, issuer: issuer)
        keySet.refreshInterval = .seconds(3600)
        keySet.freshnessLimit = .seconds(3600)
        keySet.unknownKeyIDInterval = .seconds(60)
        keySet.unknownKeyIDBurst = 3
        keySet.retention = .seconds(24 * 3600)
        keySet.documentLimit = 2 * 1024 * 1024
        keySet.keyLimit = ofManyTenants ? 1000 : 200
        return keySet
    }

    /// Sets the claims that are read from tokens of the whole family.
    ///
    /// `oid` identifies the user to all apps of a tenant, `sub` to one app only. In old B2C set-ups `sub` is a constant
    /// text.
    static func describe(_ issuer: inout TrustedIssuer) {
        issuer.marksForeignTokensByNonce = true
        issuer.subject.claims = [ClaimPath(member: "oid"), ClaimPath(member: "sub")]
        issuer.scopeClaims = [ClaimPath(member: "scp")]
        issuer.clientClaims = [ClaimPath(member: "azp")]
        issuer.organizationClaims = []
    }

    /// Claims in which an access token names its client, in both versions.
    static let clientClaims = [ClaimPath(member: "azp"), ClaimPath(member: "appid")]

    /// Rule that distinguishes an access token from an ID token, which has no scopes and names no client.
    ///
    /// An app-only token has roles and no scopes. Roles alone prove nothing: if app and API share a registration, the
    /// user's app roles are in the ID token too.
    static func tokenType(allowsAppOnly: Bool) -> TokenTypeRule {
        let scopes = ClaimPath(member: "scp")
        guard allowsAppOnly else { return .claims([.some([scopes])]) }
        return .claims([.some([scopes, ClaimPath(member: "roles")]), .some([scopes] + clientClaims)])
    }

    /// Warning if the audience is one that no version 2.0 token has. Nil if it may be right.
    static func problem(withAudience audience: String) -> ProfileProblem? {
        guard !DirectoryRule.isGUID(audience) else { return problem(withCaseOf: audience) }
        let message = "`\(audience)` is not a GUID, and these tokens name the API by its application (client) id"
        return ProfileProblem(.warning, nil, message, hint: "write the client id of the API's app registration")
    }

    /// Warning if the client ID has upper-case letters, as some consoles show it. Nil if it has none.
    static func problem(withCaseOf audience: String) -> ProfileProblem? {
        let lowered = audience.lowercased()
        guard DirectoryRule.isGUID(audience), !lowered.utf8.elementsEqual(audience.utf8) else { return nil }
        let message = "`\(audience)` has upper-case letters, and tokens have it in lower case"
        return ProfileProblem(.warning, nil, message, hint: "write `\(lowered)`")
    }

    /// Claims for display only. In External ID and B2C users enter them at sign-up; in Entra ID their values change and
    /// are assigned to other users later.
    static let displayClaims: Set<String> = [
        "name", "given_name", "family_name", "preferred_username", "unique_name", "upn", "email", "emails", "country",
        "city", "state",
        "postalCode", "streetAddress", "jobTitle",
    ]
}

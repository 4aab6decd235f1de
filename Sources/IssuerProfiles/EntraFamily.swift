import KeySets
import TokenVerification

/// Common part of the directories of Entra ID, External ID and Azure AD B2C.
enum EntraFamily {
    static let guidHint = "use the directory (tenant) id, the GUID on the tenant's overview page"
    static let clientHint = "write application (client) ids, GUIDs"
    /// Before the client id in the Application ID URI that the portal proposes.
    static let scopeURIPrefix = "api://"

    /// A key set as these systems need it: their responses vary between subsets of the keys, so a key is kept for a day
    /// after it was last seen. Price: a key that was withdrawn in an emergency lives that long, unless `denied_keys`
    /// names it.
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

    /// Sets the rules for every token of the family.
    ///
    /// `oid` names the user for all apps of a tenant, `sub` for one app only, and in old B2C set-ups `sub` is a fixed
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

    /// Problem of an audience that no v2.0 token will ever have.
    static func problem(withAudience audience: String) -> ProfileProblem? {
        guard !DirectoryRule.isGUID(audience) else { return problem(withCaseOf: audience) }
        let message = "`\(audience)` is not a GUID, and these tokens name the API by its application (client) id"
        return ProfileProblem(.warning, nil, message, hint: "write the client id of the API's app registration")
    }

    /// Problem of a client ID in the spelling of some consoles.
    static func problem(withCaseOf audience: String) -> ProfileProblem? {
        let lowered = audience.lowercased()
        guard DirectoryRule.isGUID(audience), !lowered.utf8.elementsEqual(audience.utf8) else { return nil }
        let message = "`\(audience)` has upper-case letters, and tokens have it in lower case"
        return ProfileProblem(.warning, nil, message, hint: "write `\(lowered)`")
    }

    /// Claims for people to read. In External ID and B2C users write them at sign-up; in Entra ID they change and are
    /// used again.
    static let displayClaims: Set<String> = [
        "name", "given_name", "family_name", "preferred_username", "unique_name", "upn", "email", "emails", "country",
        "city", "state",
        "postalCode", "streetAddress", "jobTitle",
    ]
}

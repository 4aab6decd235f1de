import IssuerProfiles

/// Advice for an issuer's key that belongs elsewhere, is known to the profile, or has another name here.
struct MisplacedKeys {
    private static let audience = "audiences belong to the resource: write `audiences:` there"
    private static let audienceKeys = ["audience", "audiences", "resource", "resources", "app_id_uris"]

    /// Profile of the issuer. Nil for a generic issuer.
    let profile: IssuerProfile?
    /// Names of the keys that the issuer may have.
    let known: [String]

    func hint(for key: String) -> String? {
        if Self.audienceKeys.contains(key) { return Self.audience }
        if let name = otherName(of: key), known.contains(name) { return "write `\(name)`" }
        return profile.map { hint(for: key, of: $0) } ?? hintWithoutProfile(for: key)
    }

    private func otherName(of key: String) -> String? {
        switch key {
        case "allowed_clients": ["clients", "client_ids", "apps"].first(where: known.contains)
        case "clients": ["client_ids", "apps"].first(where: known.contains)
        case "client_ids": "apps"
        case "extra_endpoints": "extra_issuers"
        case "custom_domains": known.contains("custom_domain") ? "custom_domain" : "extra_issuers"
        case "tenant": "tenant_id"
        case "tenant_id": "tenant"
        default: nil
        }
    }

    private func hint(for key: String, of profile: IssuerProfile) -> String? {
        switch (profile, key) {
        case (.google, "client_ids"), (.zitadel, "project_id"), (.authentik, "client_id"): Self.audience
        case (_, "keys") where profile.namesKeySets:
            "its key sets have names, so write a file for each: `jwks_file: {NAME: ./keys.json}`"
        case (_, IssuerKeys().withoutAudience.name) where !profile.mayOmitAudience:
            "tokens of \(profile.title) name their audience, or the client in its place: leave it out"
        case (_, "clients"), (_, "client_ids"), (_, "allowed_clients"):
            profile.namesClients
                ? "write `require: {clients: [NAME]}` here"
                : "tokens of \(profile.title) name no client: leave it out"
        case (_, "issuer"): "the profile knows its issuer: leave it out"
        case (_, _) where GenericIssuerKeys().ofTokens.map(\.name).contains(key):
            "the profile defines this: leave it out"
        default: nil
        }
    }

    private func hintWithoutProfile(for key: String) -> String? {
        let profiles = IssuerProfile.allCases.filter { $0.parameters.contains { $0.name == key } }
        guard !profiles.isEmpty else { return nil }
        return
            "it belongs to a profile: write \(profiles.map { "`profile: \($0.rawValue)`" }.joined(separator: " or "))"
    }
}

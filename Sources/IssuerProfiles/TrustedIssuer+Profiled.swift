import KeySets
import TokenVerification

extension TrustedIssuer {
    /// Sets the claims that are read from tokens; all others are ignored. If `roles` is nil, the role claims stay as
    /// they are.
    mutating func readClaims(
        scopes: [ClaimPath] = [], roles: [RoleClaim]? = nil, clients: [ClaimPath], organizations: [ClaimPath] = [],
        tenants: [ClaimPath] = []
    ) {
        (scopeClaims, clientClaims, roleClaims) = (scopes, clients, roles ?? roleClaims)
        (organizationClaims, tenantClaims) = (organizations, tenants)
    }

    /// Makes the profiled issuer of a system with exactly one key set, at a known URL.
    ///
    /// - Parameters:
    ///   - url: URL of the key set.
    ///   - displayClaims: claims that users can choose themselves.
    func profiled(keysAt url: String, showing displayClaims: Set<String>) -> ProfiledIssuer {
        var issuer = self
        issuer.refuseSlashTwins()
        let keySet = KeySetConfiguration(source: .jwkSetURL(url), issuer: identifier)
        var profiled = ProfiledIssuer(trusted: issuer, keySets: [NamedKeySet(keySet)])
        profiled.displayClaims = displayClaims
        return profiled
    }
}

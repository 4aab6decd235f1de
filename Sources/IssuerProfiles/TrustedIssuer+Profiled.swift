import KeySets
import TokenVerification

extension TrustedIssuer {
    /// Reads these claims and no others; nil roles are those that every issuer may have.
    mutating func readClaims(
        scopes: [ClaimPath] = [], roles: [RoleClaim]? = nil, clients: [ClaimPath], organizations: [ClaimPath] = [],
        tenants: [ClaimPath] = []
    ) {
        (scopeClaims, clientClaims, roleClaims) = (scopes, clients, roles ?? roleClaims)
        (organizationClaims, tenantClaims) = (organizations, tenants)
    }

    /// The issuer as it leaves a profile that has one key set, at an address of its own.
    ///
    /// - Parameters:
    ///   - url: the key set's.
    ///   - displayClaims: the claims that users can choose themselves.
    func profiled(keysAt url: String, showing displayClaims: Set<String>) -> ProfiledIssuer {
        var issuer = self
        issuer.refuseSlashTwins()
        let keySet = KeySetConfiguration(source: .jwkSetURL(url), issuer: identifier)
        var profiled = ProfiledIssuer(trusted: issuer, keySets: [NamedKeySet(keySet)])
        profiled.displayClaims = displayClaims
        return profiled
    }
}

import KeySets
import TokenVerification
import TypedIndices

extension TrustedIssuer {
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

import ConfigurationFile
import IssuerProfiles
import StrictJSON

extension ProviderToken {
    /// The claims with all times shifted, as if the token had been issued at this time (seconds since 1970).
    func claims(issuedAt time: Int64) -> StatedObject {
        var claims = StatedObject(claims)
        for name in Self.times {
            guard case .integer(let seconds) = claims[name] else { continue }
            claims.set(name, to: .integer(seconds + time - Int64(Self.issuedAt)))
        }
        return claims
    }
}

import ConfigurationFile
import IssuerProfiles
import StrictJSON

extension ProviderToken {
    /// The claims with all times shifted, as if the token had been issued at this time (seconds since 1970).
    func claims(issuedAt time: Int64) -> StatedObject { Self.shifted(claims, to: time) }

    /// The header, with the times that it repeats shifted like those of the claims.
    func header(issuedAt time: Int64) -> StatedObject { Self.shifted(header, to: time) }

    private static func shifted(_ object: JSONValue, to time: Int64) -> StatedObject {
        var object = StatedObject(object)
        for name in times {
            guard case .integer(let seconds) = object[name] else { continue }
            object.set(name, to: .integer(seconds + time - Int64(issuedAt)))
        }
        return object
    }
}

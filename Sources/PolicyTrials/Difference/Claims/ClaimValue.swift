import ConfigurationFile
import StrictJSON

/// A possible value of a claim, as test files state it (`stated`) and as verification reads it (`json`).
struct ClaimValue {
    let stated: StatedValue
    let json: JSONValue

    /// Returns nil if no token can have the value, because it exceeds the limits of a claims set.
    init?(_ stated: StatedValue) {
        let text = StatedValue.array([stated]).json
        guard let document = try? JSONDocument(parsing: text, limits: .claimsSet), let json = document.root[index: 0]
        else {
            return nil
        }
        (self.stated, self.json) = (stated, json)
    }
}

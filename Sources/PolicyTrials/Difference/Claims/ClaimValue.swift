import ConfigurationFile
import StrictJSON

/// A value that a claim could have, as it is stated and as it is judged.
struct ClaimValue {
    let stated: StatedValue
    let json: JSONValue

    /// Nil if no token can have the value.
    init?(_ stated: StatedValue) {
        let text = StatedValue.array([stated]).json
        guard let document = try? JSONDocument(parsing: text, limits: .claimsSet), let json = document.root[index: 0]
        else {
            return nil
        }
        (self.stated, self.json) = (stated, json)
    }
}

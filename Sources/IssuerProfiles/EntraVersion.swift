import TokenVerification

/// Version of Entra ID's access tokens. The API's app registration selects it (`requestedAccessTokenVersion`).
enum EntraVersion: Sendable, CaseIterable {
    case two, one

    /// Number of the version, as written in the parameter `versions`.
    var number: String { self == .two ? "2" : "1" }

    /// Value of the claim `ver` in tokens of this version.
    var claim: ClaimScalar { .string(number + ".0") }

    var keySetName: String { "v" + number }
}

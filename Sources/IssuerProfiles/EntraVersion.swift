import TokenVerification

/// The two forms of Entra ID's access tokens; which one an API gets stands in its app registration.
enum EntraVersion: Sendable, CaseIterable {
    case two, one

    /// Number of the version in `versions`.
    var number: String { self == .two ? "2" : "1" }

    /// Value of `ver`.
    var claim: ClaimScalar { .string(number + ".0") }

    var keySetName: String { "v" + number }
}

import TokenVerification

/// The two forms of Entra ID's access tokens; which one an API gets stands in its app registration.
enum EntraVersion: Sendable, CaseIterable {
    case two, one

    /// What `versions` says for it.
    var number: String { self == .two ? "2" : "1" }

    /// What `ver` says.
    var claim: ClaimScalar { .string(number + ".0") }

    var keySetName: String { "v" + number }
}

import KeySets
import NetworkNames
import TokenIntrospection
import TokenVerification

/// Responses and configurations shared by the tests of introspection.
enum SampleAnswers {
    struct NotAURL: Error {}

    static func configuration(_ change: (inout IntrospectionConfiguration) -> Void = { _ in }) throws
        -> IntrospectionConfiguration
    {
        guard let endpoint = HTTPURL("https://id.example/introspect") else { throw NotAURL() }
        var configuration = IntrospectionConfiguration(
            issuer: "https://id.example", endpoint: .configured(endpoint), clientID: "gateway",
            clientSecretFile: "secret")
        change(&configuration)
        return configuration
    }

    static func response(_ text: String) throws -> IntrospectionResponse {
        let bytes = Array(text.utf8)
        return try IntrospectionResponse(parsing: bytes.span)
    }

    /// An active response identified by its name; `exp` in seconds since the stage's start.
    static func active(_ name: String, exp: Double? = nil) -> String {
        let expiry = exp.map { #","exp":\#(IntrospectionStage.date($0).seconds)"# } ?? ""
        return #"{"active":true,"jti":"\#(name)"\#(expiry)}"#
    }

    static let inactive = #"{"active":false,"jti":"no"}"#

    static func name(_ response: IntrospectionResponse) -> String { response.claims.tokenID ?? "" }
}

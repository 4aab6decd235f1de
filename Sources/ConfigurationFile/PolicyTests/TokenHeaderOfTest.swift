import HTTPMessages
import ProxySettings
import RequestAuthorization
import TokenVerification

/// Check that tests put tokens where their resource looks for them.
struct TokenHeaderOfTest {
    private let authorizer: RequestAuthorizer?
    private let limits: HeadLimits

    init(_ configuration: Configuration) {
        // A resource is found without its issuers.
        authorizer = try? RequestAuthorizer(resources: configuration.protectedResources, issuers: [])
        limits = configuration.limits.head
    }

    /// Reports the `token_header` of a test whose resource takes no token from it. The test would pass for any token.
    ///
    /// - Parameter value: the `token_header`.
    func judge(_ value: Value, of request: ExplainedRequest) {
        guard let name = request.tokenField, let resource = authorizer.flatMap({ request.resource(limits, of: $0) })
        else { return }
        let names = resource.tokenPlaces.map(\.fieldName)
        // A test may show that a token is refused in an `Authorization` that is passed.
        let known = names + (resource.passesAuthorization ? [TokenPlace.authorization.fieldName] : [])
        guard !known.contains(where: { FieldName($0) == name }) else { return }
        let listed = names.map { "`\($0)`" }.joined(separator: " or ")
        value.report(
            "`\(resource.identifier)` takes no token from `\(String(decoding: name.spelling, as: UTF8.self))`",
            hint: "write \(listed), or send the token as one of `headers`")
    }
}

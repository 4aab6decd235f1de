/// One request of the demo, with the expected answer.
struct DemoRequest: Sendable {
    let method: String
    let path: String
    var token: DemoToken?
    var fields: [(name: String, value: String)] = []
    var body: String?
    /// Description of the caller for the list of requests.
    let caller: String
    let status: UInt
    var challenge = DemoChallenge.none
    /// Identity headers that the shop must receive, by lower-case name. Nil if they are not checked.
    var identity: [String: String]?

    /// All requests in the order of the list: permitted ones first.
    static let all: [DemoRequest] =
        letIn + [
            DemoRequest(
                method: "GET", path: "/api/orders", caller: "without a token", status: 401,
                challenge: .withoutError("shopping:read")),
            DemoRequest(
                method: "GET", path: "/api/orders", token: .expired, caller: "with an expired token", status: 401,
                challenge: .invalidToken("The access token expired")),
            DemoRequest(
                method: "GET", path: "/api/orders", token: .elsewhere, caller: "with another API's token", status: 401,
                challenge: .invalidToken("The access token is not valid for this API")),
            DemoRequest(
                method: "GET", path: "/api/orders", token: .forged, caller: "with a forged token", status: 401,
                challenge: .invalidToken("The access token is not valid for this API")),
            DemoRequest(
                method: "POST", path: "/api/orders", token: .read, body: order, caller: "with shopping:read",
                status: 403,
                challenge: .insufficientScope("shopping:write")),
            DemoRequest(
                method: "DELETE", path: "/api/orders/1003", token: .write, caller: "with shopping:write", status: 403,
                challenge: .insufficientScope("shopping:write shopping:admin")),
            DemoRequest(
                method: "GET", path: "/api/invoices", token: .read, caller: "for which there is no rule", status: 403),
            DemoRequest(
                method: "GET", path: "/elsewhere", token: .read, caller: "for which there is no resource", status: 404),
        ]

    private static let letIn = [
        DemoRequest(method: "GET", path: "/api/status", caller: "by anyone", status: 200),
        DemoRequest(method: "GET", path: "/api/catalog", token: .read, caller: "with shopping:read", status: 200),
        DemoRequest(method: "GET", path: "/api/orders", token: .read, caller: "with shopping:read", status: 200),
        DemoRequest(method: "GET", path: "/api/orders/1001", token: .read, caller: "with shopping:read", status: 200),
        DemoRequest(
            method: "POST", path: "/api/orders", token: .write, body: order, caller: "with shopping:write", status: 201),
        DemoRequest(
            method: "GET", path: "/api/me", token: .read, fields: [("X-Auth-Subject", "admin")],
            caller: "who claims to be admin",
            status: 200,
            identity: ["x-auth-subject": "ada", "x-auth-scope": "shopping:read", "x-auth-client": "storefront"]),
    ]

    /// Request for the check only: its token must be signed after the issuer has changed its key.
    static let afterRotation = DemoRequest(
        method: "GET", path: "/api/orders", token: .read, caller: "with a token signed by a new key", status: 200)

    /// Body of all requests that place an order.
    static let order = #"{"item":"mug","quantity":2}"#
}

/// Expected challenge in `WWW-Authenticate` (RFC 6750 §3).
enum DemoChallenge: Sendable, Hashable {
    case none
    /// The challenge for a request without credentials, with these scopes.
    case withoutError(String)
    /// The challenge `invalid_token` with this description.
    case invalidToken(String)
    /// The challenge `insufficient_scope` with these scopes.
    case insufficientScope(String)

    /// Expected values of the challenge's parameters. Nil for a parameter that must be absent. Others are not checked.
    var parameters: [String: String?] {
        switch self {
        case .none: [:]
        case .withoutError(let scope): ["realm": DemoFile.resource, "error": nil, "scope": scope]
        case .invalidToken(let description):
            ["realm": DemoFile.resource, "error": "invalid_token", "error_description": description, "scope": nil]
        case .insufficientScope(let scope): ["realm": DemoFile.resource, "error": "insufficient_scope", "scope": scope]
        }
    }
}

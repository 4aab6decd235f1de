import AccessControl
import HTTPMessages
import RequestAuthorization

/// Configuration keys of `websocket` in its mapping form.
final class WebSocketPolicyKeys: SectionKeys {
    enum Token: String, CaseIterable { case subprotocol }

    static let section = SectionReference(
        "websocket",
        "WebSockets from browsers: where their token is, and which origins may open them. "
            + "A handshake with another `Origin` is 403 `origin_refused`, even with a valid token.",
        of: WebSocketPolicyKeys.self)

    var natural: [any SectionKey] { [origins] }

    let token = Key(
        "token", KeyForm<Token>.word, .meaning("it is where other requests have it"),
        "Takes the token of a handshake from `Sec-WebSocket-Protocol: bearer, TOKEN` too, since scripts can send it nowhere else. "
            + "No upstream of the file gets an entry of that kind. Not beside `doors`.",
        example: "subprotocol")
    let name = Key(
        "name",
        KeyForm(
            .pattern("the name of a subprotocol", "^[!#$%&'*+.^_`|~A-Za-z0-9-]{1,\(TokenProtocol.longest)}$"),
            WebSocketReader.name
        ) { .value(String(decoding: $0.spelling, as: UTF8.self)) },
        default: TokenProtocol.bearer, "The subprotocol that precedes the token; letter case is ignored.",
        example: "v1.bearer")
    let origins = Key(
        "origins", form: CrossOriginKeys().origins.reference.form,
        .meaning("they are those of `cors`, or without `cors` only the request's own origin"),
        "The origins whose pages may open WebSockets, written as those of `cors`. They count at `doors` too.",
        example: "[https://app.example.com]")
}

/// Reads `websocket`.
struct WebSocketReader {
    /// CORS policy of the same resource. Nil if it has none.
    let crossOrigin: CrossOriginPolicy?
    /// True if the file has doors. Proxies then forward `Sec-WebSocket-Protocol` themselves, with the token in it.
    let hasDoors: Bool

    /// Reads the policy. Nil if the resource permits no WebSockets.
    func read(_ value: Value) -> WebSocketPolicy? {
        guard !value.isScalar else { return value.boolean() == true ? WebSocketPolicy() : nil }
        guard let section = Section(value, of: WebSocketPolicyKeys.self) else { return nil }
        if section[\.origins] == nil, crossOrigin?.origins == .any {
            value.warnPlace(
                "the origins are those of `cors`: " + Self.anyPage,
                hint: "name the origins of your pages in `origins` here", weakens: .webSocket)
        }
        return WebSocketPolicy(tokenProtocol: tokenProtocol(section), origins: origins(section[\.origins]))
    }

    private func tokenProtocol(_ section: Section<WebSocketPolicyKeys>) -> TokenProtocol? {
        let name = section.read(\.name).value
        guard section[\.token] != nil else {
            section[\.name]?.report(
                "`name` is that of the subprotocol with the token", hint: "write `token: subprotocol` beside it")
            return nil
        }
        guard section.read(\.token).value != nil else { return nil }
        if hasDoors {
            section[\.token]?.report(
                "behind `doors` the proxy forwards the field, and the token in it",
                hint: "take it out, or serve these WebSockets by `listen` from a file of their own")
        }
        return name
    }

    static func name(_ value: Value) -> TokenProtocol? {
        guard let text = value.someText(expected: "a name such as `bearer`") else { return nil }
        guard let name = TokenProtocol(text) else {
            return value.refuse(
                "`\(text)` is no name of a subprotocol before a token",
                hint:
                    "write letters, digits, `-`, `.` and `_`, at most \(TokenProtocol.longest) of them, such as `bearer`"
            )
        }
        return name
    }

    private func origins(_ value: Value?) -> WebSocketPolicy.Origins {
        guard let value else { return crossOrigin.map { .listed($0.origins) } ?? .own }
        guard let origins = CrossOriginReader.origins(value, credentials: false, for: .webSocket) else { return .own }
        if origins == .any {
            value.warn(Self.anyPage, hint: "name the origins of your pages", weakens: .webSocket)
        }
        return .listed(origins)
    }

    private static let anyPage =
        "any page may open WebSockets here, and the browser sends its visitor's cookies along"
}

import HTTPMessages
import RequestAuthorization

/// The keys of `token_header`.
final class TokenHeaderKeys: SectionKeys {
    static let section = SectionReference(
        "token_header",
        "The field that has the token in place of `Authorization`, which is then removed. No request of any resource can name it in `Connection`, "
            + "and none is forwarded with it, unless the resource keeps its own.", of: TokenHeaderKeys.self)

    let name = Key(
        "name", KeyForm(.text("a field name"), TokenHeaderReader.name),
        .refused(hint: "write {name: X-Goog-IAP-JWT-Assertion}"), "The name of the field.",
        example: "X-Goog-IAP-JWT-Assertion")
    let prefix = Key(
        "prefix", KeyForm(.pattern("a text", "^([!-~][ -~]{0,63})?$"), TokenHeaderReader.prefix),
        .meaning("the value is the token"), "What stands before the token, in upper or lower case.",
        example: "\"Bearer \"")
}

/// Reads `token_header`.
enum TokenHeaderReader {
    private static let longestPrefix = 64

    static func read(_ value: Value) -> TokenField? {
        if case .scalar(let scalar) = value.node.content,
            FieldName(scalar.text)?.folded == FieldName(.secWebSocketProtocol).folded
        {
            value.reportSubprotocols(scalar.text)
            return nil
        }
        guard let section = Section(value, of: TokenHeaderKeys.self) else { return nil }
        let prefix = section.read(\.prefix).value ?? ""
        return section.required(\.name).map { TokenField($0, prefix: prefix) }
    }

    fileprivate static func name(_ value: Value) -> FieldName? {
        guard let name = value.fieldName(for: "token", such: "X-Goog-IAP-JWT-Assertion") else { return nil }
        guard !name.isProxyStatement else {
            return value.refuse(
                "`\(String(decoding: name.spelling, as: UTF8.self))` says what earlier proxies saw, so no token can go there",
                hint: "name the field that has the token, such as `X-Goog-IAP-JWT-Assertion`")
        }
        return name
    }

    fileprivate static func prefix(_ value: Value) -> String? {
        guard let text = value.text(expected: "a text such as `\"Bearer \"`") else { return nil }
        let isPrintable = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard isPrintable, !text.hasPrefix(" "), text.utf8.count <= longestPrefix else {
            return value.refuse(
                "no field begins with this",
                hint: "write at most \(longestPrefix) characters of printable ASCII, without a space before them")
        }
        guard !schemes.contains(text.lowercased()) else {
            return value.refuse(
                "the token would have to stand right behind `\(text)`", hint: "write it with its space: \"\(text) \"")
        }
        return text
    }

    /// Words that stand before a token with a space between.
    private static let schemes: Set<String> = ["bearer", "jwt", "token"]
}

extension Value {
    /// A name for a field of an operator's own.
    ///
    /// - Parameters:
    ///   - purpose: what goes there.
    ///   - example: a good name.
    func fieldName(for purpose: String, such example: String) -> FieldName? {
        guard let text = someText(expected: "a field name such as `\(example)`") else { return nil }
        guard let name = FieldName(text) else { return refuse("`\(text)` is not a field name (RFC 9110 §5.1)") }
        guard let known = KnownField.allCases.first(where: { FieldName($0).folded == name.folded }) else { return name }
        if purpose == "token", known == .authorization {
            report("`\(text)` is where the token is without this", hint: "leave `token_header` out")
        } else if purpose == "token", known == .secWebSocketProtocol {
            reportSubprotocols(text)
        } else {
            report(
                "`\(text)` \(known.reasonNotFree), so no \(purpose) can go there",
                hint: "use a name of your own, such as `\(example)`")
        }
        return nil
    }
}

extension Value {
    fileprivate func reportSubprotocols(_ text: String) {
        report(
            "`\(text)` lists subprotocols, so a token is never all of it",
            hint: "write `websocket: {token: subprotocol}`, which takes the token of a WebSocket from there")
    }
}

extension KnownField {
    /// Why a field is not free. What is no letter or digit counts as `-`, as it does to upstreams that make variables
    /// of names.
    fileprivate var reasonNotFree: String {
        if isFraming { return "says where a body ends" }
        if isHopByHop { return "ends at the next hop" }
        if self == .proxy { return "names the proxy to use for programs behind CGI" }
        if isForwarding { return "says what earlier proxies saw" }
        return "has a meaning of its own in HTTP"
    }
}

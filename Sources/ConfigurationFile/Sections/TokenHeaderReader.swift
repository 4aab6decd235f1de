import HTTPMessages
import RequestAuthorization

/// Configuration keys of `token_header`.
final class TokenHeaderKeys: SectionKeys {
    static let section = SectionReference(
        "token_header",
        "The header that carries the token instead of `Authorization`; it is removed before forwarding. No request may name it in `Connection`, "
            + "and none is forwarded with it, unless the resource keeps its own.", of: TokenHeaderKeys.self)

    let name = Key(
        "name", KeyForm(.text("a header name"), TokenHeaderReader.name),
        .refused(hint: "write {name: X-Goog-IAP-JWT-Assertion}"), "The name of the header.",
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
                "`\(String(decoding: name.spelling, as: UTF8.self))` is set by earlier proxies, so it cannot carry a token",
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

    /// Words that are followed by a space before a token.
    private static let schemes: Set<String> = ["bearer", "jwt", "token"]
}

extension Value {
    /// Reads the name of a header that the operator chooses. Nil after an error, which is reported.
    ///
    /// - Parameters:
    ///   - purpose: content of the header.
    ///   - example: valid name for the hint.
    func fieldName(for purpose: String, such example: String) -> FieldName? {
        guard let text = someText(expected: "a field name such as `\(example)`") else { return nil }
        guard let name = FieldName(text) else { return refuse("`\(text)` is not a field name (RFC 9110 §5.1)") }
        guard let known = KnownField.allCases.first(where: { FieldName($0).folded == name.folded }) else { return name }
        if purpose == "token", known == .authorization {
            report("`\(text)` is the default", hint: "leave `token_header` out")
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
    /// Reason why the operator cannot use a field. Characters other than letters and digits count as `-`, because some
    /// upstreams turn header names into variables.
    fileprivate var reasonNotFree: String {
        if isFraming { return "says where a body ends" }
        if isHopByHop { return "is hop-by-hop" }
        if self == .proxy { return "names the proxy to use for programs behind CGI" }
        if isForwarding { return "is set by earlier proxies" }
        return "is defined by HTTP"
    }
}

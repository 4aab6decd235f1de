import HTTPMessages
import RequestAuthorization

/// Configuration keys of `token_header`.
final class TokenHeaderKeys: SectionKeys {
    static let section = SectionReference(
        "token_header",
        "The header that carries the token instead of `Authorization`, or a list of up to \(TokenHeaderReader.longestList). "
            + "A request with two of a list is 400. A list may name `Authorization` too. "
            + "All are removed before forwarding. No request may name them in `Connection`, "
            + "and none is forwarded with them, unless the resource keeps its own.", of: TokenHeaderKeys.self)

    let name = Key(
        "name", form: .text("a header name"),
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

    /// Most headers in one list.
    static let longestList = 4

    /// A location of the token, with the value that names it.
    typealias WrittenPlace = (place: TokenPlace, value: Value)

    /// Reads the headers of the token, in the file's order. Nil after an error, which is reported.
    static func read(_ value: Value) -> [WrittenPlace]? {
        guard let elements = value.mappingOrElements(of: "header", expected: "a header name, or a list of them") else {
            return nil
        }
        guard elements.count <= longestList else {
            return value.refuse("names \(elements.count) headers", hint: "write at most \(longestList)")
        }
        let places = elements.readEach { element in
            place(element, isAlone: elements.count == 1).map { (place: $0, value: element) }
        }
        guard let places else { return nil }
        for (index, written) in places.enumerated() {
            guard let other = places[..<index].first(where: { isSame($0.place, written.place) }) else { continue }
            let isEqual = other.place.fieldName.lowercased() == written.place.fieldName.lowercased()
            return written.value.refuse(
                isEqual
                    ? "`\(written.place.fieldName)` stands twice"
                    : "`\(written.place.fieldName)` and `\(other.place.fieldName)` are one header to some upstreams",
                hint: "keep one of them")
        }
        return places
    }

    private static func place(_ value: Value, isAlone: Bool) -> TokenPlace? {
        guard value.isMapping else { return name(value, isAlone: isAlone).map { place($0, prefix: "") } }
        guard let section = Section(value, of: TokenHeaderKeys.self) else { return nil }
        let prefix = section.read(\.prefix)
        guard let name = section.required(\.name).flatMap({ name($0, isAlone: isAlone) }), !prefix.isWrong else {
            return nil
        }
        if isAuthorization(name), section[\.prefix] != nil {
            return section[\.prefix]?.refuse(
                "`Authorization` has its scheme, `Bearer`, before the token", hint: "leave `prefix` out")
        }
        return place(name, prefix: prefix.value ?? "")
    }

    private static func place(_ name: FieldName, prefix: String) -> TokenPlace {
        isAuthorization(name) ? .authorization : .field(TokenField(name, prefix: prefix))
    }

    private static func isAuthorization(_ name: FieldName) -> Bool { name.folded == FieldName(.authorization).folded }

    /// True if two locations are the same header, also to an upstream that turns header names into variables.
    private static func isSame(_ one: TokenPlace, _ other: TokenPlace) -> Bool {
        guard case .field(let field) = one, case .field(let otherField) = other else { return one == other }
        return field.name.folded == otherField.name.folded
    }

    private static func name(_ value: Value, isAlone: Bool) -> FieldName? {
        if !isAlone, case .scalar(let scalar) = value.node.content, let name = FieldName(scalar.text),
            isAuthorization(name)
        {
            return name
        }
        if case .scalar(let scalar) = value.node.content, scalar.isNull {
            return value.refuse("`\(scalar.text)` names no header", hint: "leave `token_header` out, or quote the name")
        }
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

import AccessControl
import HTTPMessages
import RequestAuthorization

/// Reads `cors`.
enum CrossOriginReader {
    static func read(_ value: Value, tokenPlaces: [TokenPlace]) -> CrossOriginPolicy? {
        guard let section = Section(value, of: CrossOriginKeys.self) else { return nil }
        let credentials = section.read(\.credentials).value == true
        let age = section.read(\.maxAge).value
        let headers = section.read(\.headers).value ?? .listed([])
        let exposed = section.read(\.expose).value ?? []
        guard let written = section.required(\.origins),
            let origins = origins(written, credentials: credentials, for: .cors),
            let age
        else { return nil }
        if headers == .any { judgeAnyField(section[\.headers], origins, credentials: credentials) }
        return CrossOriginPolicy(
            origins: origins, allowsCredentials: credentials, maxAge: age,
            tokenFields: tokenPlaces.map(name), requestFields: headers, exposedFields: exposed)
    }

    private static func name(of place: TokenPlace) -> String {
        guard case .field(let field) = place else { return "authorization" }
        return String(decoding: field.name.spelling, as: UTF8.self)
    }

    // MARK: Origins

    /// Reads the origins. Warns of one that covers pages of others. Nil after an error, which is reported.
    ///
    /// - Parameter setting: setting that the origins belong to, `cors` or `websocket`.
    static func origins(_ value: Value, credentials: Bool, for setting: WeakeningSetting) -> AllowedOrigins? {
        guard let elements = value.someElements(of: "origin", expected: "an origin or a list of origins") else {
            return nil
        }
        var patterns: [OriginPattern: Value] = [:]
        var listed: [OriginPattern] = []
        for element in elements {
            guard let text = element.someText(expected: "an origin such as `https://app.example.com`") else { continue }
            if text == "*" { return any(element, isAlone: elements.count == 1, credentials: credentials) }
            guard let pattern = pattern(text, element, setting) else { continue }
            if let first = patterns[pattern] {
                element.report("the origin `\(text)` is already allowed at \(first.node.position)")
                continue
            }
            if credentials, pattern.isWildcard {
                element.report(
                    "`*` with `credentials: true` would let every such page act for whoever is signed in",
                    hint: "name the origins, or leave out `credentials`: bearer tokens do not need it")
            }
            patterns[pattern] = element
            listed.append(pattern)
        }
        return .listed(listed)
    }

    private static func any(_ value: Value, isAlone: Bool, credentials: Bool) -> AllowedOrigins? {
        if !isAlone {
            value.report("`*` stands alone: it covers the other origins", hint: "keep it, or keep the others")
        }
        if credentials {
            value.report(
                "`*` with `credentials: true` would let any page act for whoever is signed in",
                hint: "name the origins, or leave out `credentials`: bearer tokens do not need it")
        }
        return .any
    }

    private static func pattern(_ text: String, _ value: Value, _ setting: WeakeningSetting) -> OriginPattern? {
        do throws(OriginRejection) {
            let pattern = try OriginPattern(text)
            if pattern.isOfAnyPort {
                value.warn(
                    "any program on the user's machine that serves a page may "
                        + (setting == .webSocket
                            ? "open WebSockets here, and the browser sends its user's cookies along" : "call"),
                    hint: "name the port, such as `http://localhost:5173`, and leave it out of a file for production",
                    weakens: setting)
            }
            return pattern
        } catch {
            return value.refuse(error.text(of: text))
        }
    }

    // MARK: Field names

    /// Word for every request field.
    static let anyField = "any"

    static func requestFields(_ value: Value) -> AllowedRequestFields? {
        guard !value.isWord(anyField) else { return .any }
        let names = fieldNames(value)
        if names.contains(where: { $0.lowercased() == anyField }) {
            value.warn(
                "this permits a header of the name `\(anyField)`",
                hint: "write `headers: \(anyField)` to permit every header")
        }
        return .listed(names)
    }

    private static func judgeAnyField(_ value: Value?, _ origins: AllowedOrigins, credentials: Bool) {
        if credentials {
            value?.report(
                "`\(anyField)` with `credentials: true` would let pages send every header for whoever is signed in",
                hint: "name the headers, or leave out `credentials`: bearer tokens do not need it")
        } else if origins == .any {
            value?.warn(
                "any page that a user opens may send any header from the user's network",
                hint: "name the headers, or the origins of your pages", weakens: .cors)
        }
    }

    static func fieldNames(_ value: Value) -> [String] {
        guard let elements = value.someElements(of: "field name", expected: "a field name or a list of them") else {
            return []
        }
        var names: [String] = []
        for element in elements {
            guard let text = element.someText(expected: "a field name such as `X-Trace`") else { continue }
            // Browsers take `*` for every field but `Authorization`, and only without credentials (Fetch §3.2.3).
            if text == "*" {
                element.report("`*` does not name a field", hint: "name the fields that pages need")
            } else if FieldName(text) == nil {
                element.report("`\(text)` is not a field name (RFC 9110 §5.1)")
            } else if names.contains(where: { $0.lowercased() == text.lowercased() }) {
                element.report("`\(text)` stands twice")
            } else {
                names.append(text)
            }
        }
        return names
    }
}

extension OriginRejection {
    fileprivate func text(of origin: String) -> ProblemText {
        switch self {
        case .null:
            ProblemText(
                "`null` is the origin of any page in a sandboxed frame, so it allows everyone",
                hint: "name the page's own origin")
        case .missingScheme:
            ProblemText("`\(origin)` is not an origin", hint: "write its scheme too, such as `https://app.example.com`")
        case .notAlone:
            ProblemText(
                "`\(origin)` is more than an origin",
                hint: "write scheme, host and port alone, without a slash after them")
        case .host(.wildcardHost):
            ProblemText("`\(origin)`: a `*` stands only as `*.` before a name", hint: "write `https://*.example.com`")
        case .host(let rejection): rejection.text
        case .wildcardPort:
            ProblemText(
                "`\(origin)`: a `*` for the port stands only in `http://localhost:*` and `http://127.0.0.1:*`",
                hint: "name the port")
        case .port(let port): ProblemText("`\(port)` is not a port", hint: "write `:1` to `:65535`")
        case .wildcardWithoutTLS:
            ProblemText(
                "`\(origin)`: `*.` needs `https`, since over `http` anyone on the way can serve a page of any name",
                hint: "write `https://`, or name the hosts")
        }
    }
}

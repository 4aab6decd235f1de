import AccessControl
import NetworkNames
import TokenVerification

extension PathRejection {
    var text: ProblemText {
        switch self {
        case .notAbsolute: ProblemText("a path begins with `/`")
        case .tooLong: ProblemText("the path is too long")
        case .controlByte: ProblemText("a path has no control characters, escaped or not")
        case .forbiddenCharacter:
            ProblemText(
                "the path has a character that is not valid in paths",
                hint: "\(Self.notExpressions); a character that is meant is `%XX`")
        case .backslash: ProblemText("a path has no `\\`", hint: Self.notExpressions)
        case .invalidEscape:
            ProblemText("`%` without two hexadecimal digits", hint: "\(Self.notExpressions); a `%` is `%25`")
        case .encodedSlash:
            ProblemText("a path in the file has no `%2F`: no place and no literal covers an encoded slash")
        case .encodedBackslash: ProblemText("`%5C` is refused in every request")
        case .doubleEncoding:
            ProblemText(
                "a path in the file has no `%25` before two hexadecimal digits: no place and no literal covers it")
        case .dotSegment: ProblemText("`.` and `..` segments are refused in every request")
        case .emptySegment: ProblemText("two slashes in a row are refused in every request")
        case .notUTF8: ProblemText("the escapes are not UTF-8")
        }
    }
}

extension PathRejection {
    static let notExpressions =
        "paths are no regular expressions and have no query: in a rule `{name}` is one segment of any text"
}

extension PathPatternRejection {
    var text: ProblemText {
        switch self {
        case .path(let rejection): rejection.text
        case .severalDoubleWildcards:
            ProblemText("`**` stands once in a path", hint: "write a rule for each depth: `*` is exactly one segment")
        case .slashAfterDoubleWildcard:
            ProblemText("`**` has no slash behind it", hint: "write `/**`: it covers paths with and without one")
        case .doubleWildcardInSegment(let segment):
            ProblemText(
                "`**` is a whole segment, and `\(segment)` is not",
                hint: "write `*` for a part of a segment, or `**` alone for all below (a literal `*` is `%2A`)")
        case .severalWildcardsInSegment(let segment):
            ProblemText(
                "`\(segment)` has more than one wildcard",
                hint: "write one `*` or `{name}` in a segment, with text before or after it (a literal `*` is `%2A`)")
        case .braceInSegment(let segment):
            ProblemText(
                "`\(segment)` has a brace without a name",
                hint:
                    "write `{\(Self.name(in: segment.drop { $0 != "{" }) ?? "name")}` (a literal `{` is `%7B`, `}` is `%7D`)"
            )
        case .expression:
            ProblemText(
                "`.*` is no expression for any text",
                hint:
                    "write `*` or `{name}` for one segment, or `**` for all below; a segment that begins with `.` is `%2E*`"
            )
        case .variableInSegment(let segment):
            ProblemText(
                "`\(segment)`: a path has no variables of the environment",
                hint: "write `{name}` for one segment of any text (a literal `$` is `%24`)")
        case .parameterName(let name): ProblemText("`{\(name)}` is no name", hint: Self.hint(forName: name))
        case .duplicateParameter(let name): ProblemText("`{\(name)}` stands twice in one path")
        case .tooManySegments: ProblemText("more than \(PathPattern.mostSegments) segments")
        }
    }
}

extension PathPatternRejection {
    /// Advice for a parameter name with a type, an expression or a sign of another program.
    private static func hint(forName name: String) -> String {
        guard name.utf8.contains(where: { !isOfNames($0) }) else {
            return "use letters, digits, `_` and `-`, a digit not first"
        }
        let one = Self.name(in: name[...]).map { "{\($0)}" } ?? "*"
        return
            "write `\(one)` for one segment of any text, or `**` at the end for all below; paths are no regular expressions"
    }

    /// First word of the text. Nil if it cannot be a parameter name.
    private static func name(in text: Substring) -> String? {
        let word = text.utf8.drop { !isOfNames($0) }.prefix(while: isOfNames)
        guard let first = word.first, !ASCII.isDigit(first) else { return nil }
        return String(Substring(word))
    }

    private static func isOfNames(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}

extension MethodPatternRejection {
    var text: ProblemText {
        switch self {
        case .empty: ProblemText("a method is missing", hint: "write `GET,HEAD /path`")
        case .whitespace: ProblemText("methods are separated by commas without spaces", hint: "write `GET,HEAD /path`")
        case .lowerCase(let token):
            ProblemText("`\(token)` is not a method", hint: KnownMethods.hint(forLowerCase: token))
        case .notAToken(let token):
            ProblemText(
                "`\(token)` is not a method",
                hint: "separate methods by commas: `\(KnownMethods.joined(token) ?? "GET,HEAD") /path`")
        case .connectOrTrace(let token): ProblemText("\(token) is answered 405, whatever the rules say")
        case .anyBesideOthers: ProblemText("`ANY` stands alone")
        case .duplicate(let token): ProblemText("\(token) stands twice")
        }
    }
}

extension RoutePatternRejection {
    var text: ProblemText {
        switch self {
        case .missingMethods: ProblemText("the methods are missing", hint: "write `GET /path` or `ANY /path`")
        case .missingPath: ProblemText("the path is missing", hint: "write `METHODS /path`")
        case .notOneSpace: ProblemText("methods and path are separated by one space", hint: "write `GET,HEAD /path`")
        case .methods(let rejection): rejection.text
        case .path(let rejection): rejection.text
        }
    }
}

extension PlaceRejection {
    var text: ProblemText {
        switch self {
        case .empty: ProblemText("must not be empty", hint: "write `/path` or `host/path`")
        case .scheme: ProblemText("a place has no scheme", hint: "write `host/path`")
        case .userinfo: ProblemText("a place has no user name and no password")
        case .query: ProblemText("a place has no query")
        case .fragment: ProblemText("a place has no fragment")
        case .missingHost: ProblemText("the host is missing")
        case .invalidHost(let host): ProblemText("`\(host)` is not a host name")
        case .nonASCIIHost(let host):
            ProblemText("`\(host)` is not ASCII", hint: "write the name's `xn--` form, which is what requests carry")
        case .invalidAddress(let text): ProblemText("`\(text)` is not an IP address")
        case .unbracketedAddress(let text):
            ProblemText("`\(text)` is no host and port", hint: "write an IPv6 address as \"[::1]:8080\"")
        case .wildcardHost(let host):
            ProblemText(
                "`\(host)`: a `*` stands only as `*.` before a name in `at`", hint: "write `at: \"*.example.com/path\"`"
            )
        case .invalidPort(let port): ProblemText("`\(port)` is not a port", hint: "write `:1` to `:65535`")
        case .wildcardPath:
            ProblemText(
                "a place's path is a literal prefix and covers all below it", hint: "patterns belong in `rules`")
        case .path(let rejection): rejection.text
        }
    }
}

extension ClaimPathRejection {
    var text: ProblemText {
        switch self {
        case .empty: ProblemText("a claim's name must not be empty")
        case .emptyName:
            ProblemText("a claim's path has no empty names", hint: "write `a.b`, `/a/b`, or a name with `://`")
        case .invalidPointer: ProblemText("not a JSON Pointer", hint: "write `~0` for `~` and `~1` for `/`")
        case .elements:
            ProblemText(
                "`*` stands for every element of an array, and one claim is meant here",
                hint: "name one claim; `*` is for requirements and roles")
        case .elementsOfNothing:
            ProblemText(
                "`*` stands for every element of an array, so a claim's name stands before it",
                hint: "write `/authorities/*/authority`")
        }
    }
}

extension Value {
    func report(_ text: ProblemText) {
        report(text.message, hint: text.hint)
    }

    func refuse<Result>(_ text: ProblemText) -> Result? { refuse(text.message, hint: text.hint) }

    /// Reads the value as the path of a claim. Nil after an error, which is reported.
    ///
    /// - Parameter permitsElements: whether a level may be `*`.
    func claimPath(permitsElements: Bool = false) -> ClaimPath? {
        guard let text = text(expected: "the name of a claim") else { return nil }
        do {
            let path = try ClaimPath(text, permitsElements: permitsElements)
            if let foreign = ForeignClaimPath(text, path) { warn(foreign.message, hint: foreign.hint) }
            return path
        } catch {
            return refuse(error.text)
        }
    }

    /// Reads a value that is compared with a claim, in the form in which the claim is read from tokens. Nil if the
    /// value is invalid, or if `claim` is nil; both were reported.
    func claimScalar(of claim: ClaimPath?) -> ClaimScalar? {
        guard let scalar = claimScalar(), let claim else { return nil }
        return scalar.asRead(at: claim)
    }

    /// Reads a value that a claim can be compared with. Plain numbers and booleans have their YAML meaning; everything
    /// else is text. Nil after an error, such as a plain `null`, which is reported.
    func claimScalar() -> ClaimScalar? {
        guard let scalar = scalar(expected: "text, a number or a boolean") else { return nil }
        guard !scalar.isNull else {
            return refuse("no claim equals null", hint: "quote it if the text is meant: \"\(scalar.text)\"")
        }
        guard scalar.isPlain, !scalar.isSubstituted else { return .string(scalar.text) }
        return switch scalar.text {
        case "true": .boolean(true)
        case "false": .boolean(false)
        default: number(scalar.text)
        }
    }

    /// Reads a number of JSON (RFC 8259 §6). Other numbers of YAML, such as `0x10` or `1_000`, are text. Nil if the
    /// number is too large, which is reported.
    private func number(_ text: String) -> ClaimScalar? {
        guard Self.isJSONNumber(text) else { return .string(text) }
        if let integer = Int64(text) { return .integer(integer) }
        guard text.contains(where: { ".eE".contains($0) }), let real = Double(text), real.isFinite else {
            return refuse("`\(text)` is too large for a number", hint: "quote it if the claim is a string: \"\(text)\"")
        }
        return .real(real)
    }

    /// True if the text is a JSON number. Written out, because a regular expression would be compiled again for each of
    /// many thousand values.
    private static func isJSONNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func takeDigits() -> Int {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest[digits.endIndex...]
            return digits.count
        }
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let beginsWithZero = rest.first == UInt8(ascii: "0")
        let count = takeDigits()
        guard count == 1 || count > 1 && !beginsWithZero else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard takeDigits() > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard takeDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}

extension Value.Member {
    func reportKey(_ text: ProblemText) {
        reportKey(text.message, hint: text.hint)
    }

    func refuseKey<Result>(_ text: ProblemText) -> Result? { refuseKey(text.message, hint: text.hint) }

    /// Reads the key as the path of a claim. Nil after an error, which is reported.
    ///
    /// - Parameter permitsElements: whether a level may be `*`.
    func claimPath(permitsElements: Bool = false) -> ClaimPath? {
        do {
            let path = try ClaimPath(key, permitsElements: permitsElements)
            if let foreign = ForeignClaimPath(key, path) { warnKey(foreign.message, hint: foreign.hint) }
            return path
        } catch {
            return refuseKey(error.text)
        }
    }
}

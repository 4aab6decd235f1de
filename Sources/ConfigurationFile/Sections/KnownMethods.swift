import AccessControl
import HTTPMessages

/// Methods that a file may name: the registered ones, and those that its `methods` declares.
struct KnownMethods {
    private(set) var own: Set<String> = []

    static let form = ValueForm.pattern("a method", "^(?!(ANY|CONNECT|TRACE|PRI)$)[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

    /// Reads `methods`.
    init(_ value: Value?) {
        guard let elements = value?.someElements(of: "method", expected: "a method or a list of methods") else {
            return
        }
        for element in elements {
            guard let name = element.someText(expected: "a method such as `PURGE`") else { continue }
            if let problem = problem(ofOwn: name) { element.report(problem) } else { own.insert(name) }
        }
    }

    /// Problem of a method named outside of `methods`. Nil if the method is known.
    func problem(of name: String) -> ProblemText? {
        guard name != "PRI" else { return Self.reserved }
        guard !own.contains(name), !RegisteredMethods.names.contains(name) else { return nil }
        let message = "`\(name)` is not a registered method"
        guard !name.hasPrefix("!") else {
            return ProblemText(message, hint: "write the methods that the rule is for, or `ANY`")
        }
        if let several = Self.joined(name) {
            return ProblemText(message, hint: "separate methods by commas: `\(several)`")
        }
        guard name != "*" else { return ProblemText(message, hint: "write `ANY` for every method") }
        let nearest = NearestName.of(name, among: ["ANY"] + RegisteredMethods.names + own.sorted())
        let meant = Self.foreign[name] ?? nearest.map { "did you mean `\($0)`?" }
        let hint = "separate methods by commas; `methods: [\(name)]` at the top declares one of your own"
        return ProblemText(message, hint: [meant, hint].compactMap { $0 }.joined(separator: "; "))
    }

    /// Advice for words that other programs use as methods.
    private static let foreign = [
        "ALL": "write `ANY` for every method",
        "GRPC": "write `POST`, the method of every call",
        "READ": "write `GET,HEAD`",
        "WEBSOCKET": "write `GET`, and `websocket` on the resource",
        "WS": "write `GET`, and `websocket` on the resource",
    ]

    /// Registered methods, and `ANY`, among the words of a text, in any letter case.
    static func named(in text: Substring) -> [String] {
        text.split { !$0.isLetter && $0 != "-" && $0 != "_" }.compactMap { word in
            word.uppercased() == "ANY" ? "ANY" : registered(ignoringCase: String(word))
        }
    }

    /// Methods of a text in which they are not joined by commas, in the form for a rule: `GET,POST` for `GET|POST`. Nil
    /// for a single method.
    static func joined(_ text: String) -> String? {
        let pieces = text.split { !$0.isLetter && !$0.isNumber && !"-_.".contains($0) }.map(String.init)
        let namesMethod = pieces.contains { registered(ignoringCase: $0) != nil || $0.uppercased() == "ANY" }
        guard pieces != [text], namesMethod else { return nil }
        return pieces.map { registered(ignoringCase: $0) ?? $0 }.joined(separator: ",")
    }

    /// Advice for a name with lower-case letters that the file does not declare.
    static func hint(forLowerCase name: String) -> String {
        if let several = joined(name) { return "write `\(several)`" }
        let upper = name.uppercased()
        if let meant = foreign[upper] { return meant }
        guard upper != "ANY", registered(ignoringCase: name) == nil else { return "write `\(upper)`" }
        return "declare it: `methods: [\(name)]` at the top, or write `\(upper)` and declare that"
    }

    // MARK: Declared

    private func problem(ofOwn name: String) -> ProblemText? {
        if let several = Self.joined(name) {
            return ProblemText(
                "`\(name)` is more than one method", hint: "separate methods by commas in the rule: `\(several)`")
        }
        do throws(MethodPatternRejection) {
            guard case .tokens([name]) = try MethodPattern(name, own: [name]), name != "*" else {
                return ProblemText("`\(name)` is not one method", hint: "name each method by itself")
            }
        } catch {
            return error.text
        }
        guard name != "PRI" else { return Self.reserved }
        if let other = Self.registered(ignoringCase: name), other != name {
            return ProblemText(
                "`\(name)` is \(other) in another case, and refused in every request", hint: "take it out")
        }
        if own.contains(name) { return ProblemText("\(name) stands twice") }
        let twin = own.first { $0.uppercased() == name.uppercased() }
        return twin.map { twin in
            ProblemText(
                "`\(name)` and `\(twin)` differ only in case, and a server may take one for the other", hint: "keep one"
            )
        }
    }

    /// Problem of PRI. The beginning of an HTTP/2 connection looks like a request with this method (RFC 9113 §3.4).
    private static let reserved = ProblemText("PRI is reserved for HTTP/2, and no request has it")

    private static func registered(ignoringCase name: String) -> String? {
        RegisteredMethods.names.first { $0 == name.uppercased() }
    }
}

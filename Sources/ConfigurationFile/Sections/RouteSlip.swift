import AccessControl
import HTTPMessages
import NetworkNames

/// Problem texts for rule keys that are not methods and a path. They depend on the probable intention.
enum RouteSlip {
    /// Text for a key in the form of another program. Otherwise the text of the rejection.
    static func text(of rule: Value.Member, _ rejection: RoutePatternRejection) -> ProblemText {
        switch rejection {
        case .missingMethods, .missingPath, .notOneSpace, .methods(.whitespace):
            twoKeys(rule) ?? address(rule.key) ?? relativePath(rule.key) ?? match(rule.key) ?? rejection.text
        case .methods, .path: rejection.text
        }
    }

    /// Correct key for methods that are nested below a path, or paths below methods. Nil if the rule is not nested.
    static func joinedKey(_ rule: Value.Member) -> String? {
        guard rule.value.isMapping, let inner = rule.value.members()?.first?.key else { return nil }
        return ["\(rule.key.uppercased()) \(inner)", "\(inner.uppercased()) \(rule.key)"].first(where: isRoute)
    }

    private static func twoKeys(_ rule: Value.Member) -> ProblemText? {
        joinedKey(rule).map { ProblemText("methods and path are one key", hint: "write `\($0)`") }
    }

    /// Text for a key with a URL, or with a host and a path. Nil for any other key.
    private static func address(_ key: String) -> ProblemText? {
        let labels = key.split(separator: " ").last?.prefix { $0 != "/" && $0 != ":" }.split(separator: ".") ?? []
        let namesHost = labels.count > 1 && labels.last?.utf8.allSatisfy(ASCII.isLetter) == true && key.contains("/")
        guard key.contains("://") || namesHost else { return nil }
        return ProblemText(
            "a rule's path has no scheme and no host", hint: "write the path below the place, such as `GET /**`")
    }

    /// Text for a key whose path lacks its first slash. Nil for any other key, and if the key with a slash is still
    /// invalid.
    private static func relativePath(_ key: String) -> ProblemText? {
        let words = key.split(separator: " ")
        guard words.count == 2, let methods = words.first.flatMap(methods), let path = words.last,
            let first = path.utf8.first,
            ASCII.isLetter(first) || ASCII.isDigit(first) || "*{._-".utf8.contains(first)
        else { return nil }
        let written = "\(methods) /\(path == "*" ? "**" : path)"
        return isRoute(written)
            ? ProblemText("a path begins with `/`", hint: "write `\(written)`, below the place") : nil
    }

    /// Text for methods and a path between signs of another program: `GET ^~ /static/`, ``PathPrefix(`/search`)``. Nil
    /// for a key without a slash, or with nothing but methods before the path.
    private static func match(_ key: String) -> ProblemText? {
        let path = key.fromFirstSlash
        let head = key[..<path.startIndex]
        let words = head.split { " ,".contains($0) }.map(String.init)
        guard !path.isEmpty, !words.allSatisfy({ methods(in: $0[...]) == $0 }) else { return nil }
        guard !head.contains("!"), !words.contains(where: { ["not", "except"].contains($0.lowercased()) }) else {
            let message = "a rule names the paths that it is for, and none that it is not for"
            return ProblemText(message, hint: "write a rule for each of the two")
        }
        let written = "\(methods(in: head) ?? "ANY") \(path.prefix { !" `\"')".contains($0) })"
        let message = "a rule is methods, one space and a path, and nothing else"
        guard isRoute(written) else {
            return ProblemText(message, hint: "write `GET,HEAD /path`; \(PathRejection.notExpressions)")
        }
        let below = "\(written.hasSuffix("/") ? String(written.dropLast()) : written)/**"
        return ProblemText(
            message, hint: "write `\(written)`" + (isRoute(below) ? ", or `\(below)` for all below" : ""))
    }

    /// Registered methods in a text, in the form for a rule. Nil if there is none.
    private static func methods(in text: Substring) -> String? {
        let names = KnownMethods.named(in: text)
        return names.isEmpty ? nil : names.joined(separator: ",")
    }

    /// True if the text is a valid rule key that can be proposed.
    private static func isRoute(_ text: String) -> Bool {
        guard let route = try? RoutePattern(text), PatternLookalikes(in: text.fromFirstSlash) == nil else {
            return false
        }
        return route.methods.tokens.allSatisfy { RegisteredMethods.names.contains($0) }
    }
}

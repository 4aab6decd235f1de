import AccessControl

/// What is told of a rule's key that is no methods and path, by what was probably meant.
enum RouteSlip {
    /// The words for a key that holds a URL, or a path without its slash; else those of the rejection.
    static func text(of key: String, _ rejection: RoutePatternRejection) -> ProblemText {
        switch rejection {
        case .missingPath, .notOneSpace: slip(in: key) ?? rejection.text
        case .missingMethods, .methods, .path: rejection.text
        }
    }

    private static func slip(in key: String) -> ProblemText? {
        let words = key.split(separator: " ")
        guard let last = words.last, words.count <= 2 else { return nil }
        guard !last.contains("://") else {
            return ProblemText("a rule's path has no scheme and no host", hint: "write the path below the place, such as `GET /**`")
        }
        guard let methods = words.first, words.count == 2, !last.hasPrefix("/") else { return nil }
        return ProblemText("a path begins with `/`", hint: "write `\(methods) /\(last)`, below the place")
    }
}

/// Replaces references to environment variables in a scalar: `${NAME}` and `${NAME:-default}`; `$$` becomes `$`.
///
/// As in a shell, the default also replaces an empty value. The result is text, in which no further references are
/// replaced.
enum Substitution {
    struct Rejection: Error, Hashable {
        let message: String
        let hint: String?
    }

    static func apply(to text: String, environment: [String: String]) throws(Rejection) -> String {
        var result = ""
        var rest = text[...]
        while let dollar = rest.unicodeScalars.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[rest.unicodeScalars.index(after: dollar)...]
            if rest.unicodeScalars.first == "$" {
                result += "$"
                rest = rest[rest.unicodeScalars.index(after: rest.startIndex)...]
            } else if rest.unicodeScalars.first == "{" {
                guard let end = rest.unicodeScalars.firstIndex(of: "}") else {
                    throw Rejection(message: "`${` without `}`", hint: "write `$$` for a `$` that is meant as such")
                }
                let reference = rest[rest.unicodeScalars.index(after: rest.startIndex)..<end]
                result += try value(of: reference, environment)
                rest = rest[rest.unicodeScalars.index(after: end)...]
            } else {
                result += "$"
            }
        }
        return result + rest
    }

    private static func value(of reference: Substring, _ environment: [String: String]) throws(Rejection) -> String {
        let parts = reference.firstRange(of: ":-").map {
            (reference[..<$0.lowerBound], Optional(reference[$0.upperBound...]))
        }
        let (name, fallback) = parts ?? (reference, nil)
        guard isName(name) else {
            throw Rejection(
                message: "`${\(reference)}` names no environment variable",
                hint: "write `${NAME}` or `${NAME:-default}`")
        }
        if let fallback, fallback.contains("${") {
            throw Rejection(
                message: "a default cannot hold another `${`", hint: "set `\(name)`, or write the default out")
        }
        let value = environment[String(name)]
        if let fallback {
            guard let value, !value.isEmpty else { return String(fallback.replacing("$$", with: "$")) }
            return value
        }
        guard let value else {
            throw Rejection(
                message: "the environment variable `\(name)` is not set", hint: "set it, or write `${\(name):-default}`",
            )
        }
        return value
    }

    private static func isName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}

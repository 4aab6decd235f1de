import Files
import RequestAuthorization
import StrictJSON
import TokenVerification

/// Text of a line of the access log for a person: the request, what Bearward answered, and why.
///
/// Everything in it may come from a client, so characters that act on a terminal are written as their code points.
struct LoggedRequestText {
    private let line: JSONValue
    private let paint: TerminalPaint

    init(_ line: JSONValue, paint: TerminalPaint) {
        self.line = line
        self.paint = paint
    }

    /// Members that are shown below the answer, by their titles.
    private static let facts: [(title: String, member: String)] = [
        ("time", "time"), ("request ID", "request_id"), ("client", "client"), ("issuer", "issuer"),
        ("subject", "subject"), ("client ID", "client_id"), ("key", "kid"), ("token ID", "token_id"),
        ("upstream", "upstream"), ("upstream error", "upstream_error"),
    ]

    var rendered: String {
        let target = (text("host") ?? "") + (text("path") ?? "")
        let title = [text("method"), target.isEmpty ? nil : target].compactMap(\.self).joined(separator: " ")
        let head = paint(title.isEmpty ? "a request whose head could not be read" : title, .bold)
        return ([head, ""] + walk + answer + [""] + facts).joined(separator: "\n") + "\n"
    }

    /// Steps of the walk that the line has: the resource and the rule that were found.
    private var walk: [String] {
        ["resource", "rule"].compactMap { step in
            text(step).map { "  \(paint("✓", .green)) \(step)\(step == "rule" ? "    " : "")  \($0)" }
        }
    }

    private var answer: [String] {
        let status = text("status") ?? "no status"
        guard let reason = text("reason") else { return forwarded(status) }
        var lines = ["  \(paint("→ \(status) \(reason)", .red))"]
        if let detail = text("detail") { lines.append("    Detail: \(detail)") }
        lines.append(contentsOf: advice(about: reason))
        return lines
    }

    private func forwarded(_ status: String) -> [String] {
        var lines = ["  \(paint("→ forwarded, answered with \(status)", .green))"]
        if let would = line["would"], let reason = Self.text(would["reason"]) {
            let verdict = [Self.text(would["status"]), reason].compactMap(\.self).joined(separator: " ")
            lines.append("    Would be: \(verdict)")
            if let detail = text("detail") { lines.append("    Detail: \(detail)") }
            lines += advice(about: reason)
        }
        return lines
    }

    /// The hint, which is more specific than the general advice for such a reason.
    private func advice(about reason: String) -> [String] {
        if let hint = text("hint") { return ["    Hint: \(hint)"] }
        guard let known = RejectionReason.allCases.first(where: { $0.label == reason }) else { return [] }
        return ["    What to do: \(known.text.remedy)"]
    }

    private var facts: [String] {
        let width = Self.facts.map(\.title.count).max() ?? 0
        return Self.facts.compactMap { title, member in
            text(member).map { value in
                "    \(paint(title + String(repeating: " ", count: width - title.count), .dim))  \(value)"
            }
        }
    }

    private func text(_ member: String) -> String? { Self.text(line[member]) }

    /// Text of a value, safe for a terminal. Nil for null and for an absent one.
    private static func text(_ value: JSONValue?) -> String? {
        guard let value, !value.isNull else { return nil }
        return (value.string ?? String(decoding: value.serialized(), as: UTF8.self)).visible
    }
}

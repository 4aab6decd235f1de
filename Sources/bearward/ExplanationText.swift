import Files
import RequestAuthorization
import StrictJSON
import TokenVerification

/// Text of an explanation for a person: one line for each step, with a mark, its name and its finding.
struct ExplanationText {
    private let explanation: Explanation
    private let request: ExplainedRequest
    private let paint: TerminalPaint

    init(_ explanation: Explanation, _ request: ExplainedRequest, paint: TerminalPaint) {
        self.explanation = explanation
        self.request = request
        self.paint = paint
    }

    var rendered: String {
        let width = explanation.steps.map(\.name.count).max() ?? 0
        let steps = explanation.steps.map { step in
            let name = step.name + String(repeating: " ", count: width - step.name.count)
            let detail = step.detail.visible
            return "  \(mark(step.verdict)) \(name)  \(step.verdict == .notReached ? paint(detail, .dim) : detail)"
        }
        let title = paint("\(request.method) \(ExplainedRequest.shown(request.url))".visible, .bold)
        return ([title, ""] + steps + [""] + answer).joined(separator: "\n") + "\n"
    }

    private var answer: [String] {
        if let published = explanation.published {
            return [
                "  \(paint("→ 200, answered here", .green))", "    " + String(decoding: published.bytes, as: UTF8.self),
            ]
        }
        if let preflight = explanation.preflight { return answer(preflight) }
        guard let rejection = explanation.rejection else {
            let observed = explanation.would.map { ", would be \($0.status) \($0.label)" } ?? ""
            return [
                "  \(paint("→ forwarded", .green))\(explanation.forwardedPath.map { " as \($0)" } ?? "")\(observed)"
            ]
                + (explanation.hint.map { ["    Hint: \($0.visible)"] } ?? [])
                + statedFields.map { "    \($0.visible)" }
        }
        var lines = ["  \(paint("→ \(rejection.reason.status) \(rejection.reason.label)", .red))"]
        if let challenge = rejection.challenge { lines.append("    WWW-Authenticate: \(challenge.fieldValue.visible)") }
        if let status = explanation.grpcStatus { lines.append("    Over HTTP/2: 200 with grpc-status: \(status)") }
        // A hint is more specific than the general advice for such a rejection.
        lines.append(
            explanation.hint.map { "    Hint: \($0.visible)" } ?? "    What to do: \(rejection.reason.text.remedy)")
        return lines
    }

    private var statedFields: [String] {
        (explanation.strippedPrefix.map { ["X-Forwarded-Prefix: \($0)"] } ?? []) + explanation.identityFields
    }

    private func answer(_ preflight: PreflightAnswer) -> [String] {
        let colour: TerminalPaint.Style = preflight.verdict == .granted ? .green : .red
        let title = "  \(paint("→ \(explanation.status) \(preflight.verdict.rawValue), answered here", colour))"
        return [title] + preflight.lines.map { "    \($0.visible)" }
            + (explanation.hint.map { ["    Hint: \($0.visible)"] } ?? [])
    }

    private func mark(_ verdict: Explanation.Step.Verdict) -> String {
        switch verdict {
        case .passed: paint("✓", .green)
        case .failed: paint("✗", .red)
        case .notReached: paint("·", .dim)
        }
    }
}

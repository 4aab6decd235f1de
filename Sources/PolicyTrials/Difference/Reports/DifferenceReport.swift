import ConfigurationFile
public import Files
import StrictJSON

/// Report of `bearward diff`: the differences between two files, and what was not compared.
public struct DifferenceReport: Sendable {
    /// Names of the two files in messages.
    public let oldName: String
    public let newName: String
    public let differences: [Difference]
    /// Parts that differ between the files but that the comparison ignores: it judges no request by them.
    public let notCompared: [String]
    /// Descriptions of comparisons that were not completed, because a limit was hit.
    public let undecided: [String]

    public init(
        old: String, new: String, differences: [Difference], notCompared: [String], undecided: [String]
    ) {
        (oldName, newName) = (old, new)
        self.differences = differences
        self.notCompared = notCompared
        self.undecided = undecided
    }

    func count(_ kind: Difference.Kind) -> Int { differences.count { $0.kind == kind } }

    /// Whether it is certain that the new file allows no request that the old one refuses.
    public var widensNothing: Bool { count(.nowAllowed) == 0 && undecided.isEmpty }
}

// MARK: Text

extension DifferenceReport {
    /// Report as text, for people. Every line ends with a newline.
    ///
    /// - Parameter most: maximum number of differences that are listed; the others are only counted.
    public func text(most: Int, _ paint: TerminalPaint = .plain) -> String {
        var lines = differences.prefix(most).flatMap { self.lines(of: $0, paint) + [""] }
        if differences.count > most {
            lines.append("\(differences.count - most) more; --most \(differences.count) lists all")
        }
        lines.append(summary(paint))
        lines += undecided.map { "\(paint("not decided:", .yellow)) \($0.visible)" }
        lines += notCompared.map { "not compared: \($0.visible)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private func summary(_ paint: TerminalPaint) -> String {
        guard !differences.isEmpty else { return paint("no request is answered differently", .green) }
        return Difference.Kind.allCases.map { kind in
            let text = "\(kind.title): \(count(kind))"
            return count(kind) == 0 ? text : paint(text, kind.style)
        }.joined(separator: ", ")
    }

    private func lines(of difference: Difference, _ paint: TerminalPaint) -> [String] {
        let token = difference.witness.tokenLines.map { "    " + $0 }
        let answers = [
            "    \(answer(difference.old, in: oldName))", "    \(answer(difference.new, in: newName))",
        ]
        let changes = difference.changes.map { "    \($0.aspect.name): \($0.old ?? "none") -> \($0.new ?? "none")" }
        let title = paint("\(difference.kind.title):", difference.kind.style)
        let request = "\(difference.witness.method) \(difference.witness.url)"
        return ["\(title) \(request.visible)"] + (token + answers + changes).map(\.visible)
    }

    private func answer(_ answer: Difference.Answer, in file: String) -> String {
        let place = answer.place.map { "\(file):\($0.position.line)" } ?? file
        let rule = answer.rule ?? (answer.resource == nil ? "no resource" : "no rule")
        let outcome =
            if let reason = answer.reason {
                "\(answer.status) \(reason)"
            } else {
                answer.upstream.isEmpty
                    ? "answered itself" : "forwarded to \(answer.upstream.joined(separator: " or "))"
            }
        let observed = answer.would.map { ", only observed: it would be \($0)" } ?? ""
        return "\(place): \(rule): \(outcome)\(observed)"
    }
}

extension Difference.Kind {
    /// Colour of the kind. Requests that are now allowed need the closest look.
    fileprivate var style: TerminalPaint.Style {
        switch self {
        case .nowAllowed: .red
        case .nowRefused: .yellow
        case .goesElsewhere: .cyan
        }
    }

    var title: String {
        switch self {
        case .nowAllowed: "now allowed"
        case .nowRefused: "now refused"
        case .goesElsewhere: "goes elsewhere"
        }
    }
}

import ConfigurationFile
import StrictJSON

/// Report of `bearward diff`: the differences of two files, and what was not compared.
public struct DifferenceReport: Sendable {
    /// Names of the two files in messages.
    public let oldName: String
    public let newName: String
    public let differences: [Difference]
    /// Differences between the files by which no request is judged.
    public let notCompared: [String]
    /// Rules that were not compared to the end.
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

    /// Whether it is certain that nobody gets in who did not before.
    public var widensNothing: Bool { count(.nowAllowed) == 0 && undecided.isEmpty }
}

// MARK: Text

extension DifferenceReport {
    /// For a person, each line ended.
    ///
    /// - Parameter most: so many differences are told, and the others counted.
    public func text(most: Int) -> String {
        var lines = differences.prefix(most).flatMap { self.lines(of: $0) + [""] }
        if differences.count > most {
            lines.append("\(differences.count - most) more; --most \(differences.count) tells all")
        }
        lines.append(summary)
        lines += undecided.map { "not decided: \($0)" }
        lines += notCompared.map { "not compared: \($0)" }
        return lines.map(\.visible).joined(separator: "\n") + "\n"
    }

    private var summary: String {
        guard !differences.isEmpty else { return "no request is answered differently" }
        return Difference.Kind.allCases.map { "\($0.title): \(count($0))" }.joined(separator: ", ")
    }

    private func lines(of difference: Difference) -> [String] {
        let token = difference.witness.tokenLines.map { "    " + $0 }
        let answers = [
            "    \(answer(difference.old, in: oldName))", "    \(answer(difference.new, in: newName))",
        ]
        let changes = difference.changes.map { "    \($0.aspect.name): \($0.old ?? "none") -> \($0.new ?? "none")" }
        return ["\(difference.kind.title): \(difference.witness.method) \(difference.witness.url)"] + token + answers
            + changes
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
    var title: String {
        switch self {
        case .nowAllowed: "now allowed"
        case .nowRefused: "now refused"
        case .goesElsewhere: "goes elsewhere"
        }
    }
}

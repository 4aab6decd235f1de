import Foundation

/// One console of a page: commands and what they print, or only what the command before it prints.
struct DocumentedBlock: Sendable {
    let page: String
    /// The number of its first line.
    let line: Int
    /// Lines before its first command: the output of the last command of an earlier block.
    let output: [String]
    let commands: [DocumentedCommand]

    init(page: String, _ fence: Fence) {
        var output: [String] = []
        var commands: [DocumentedCommand] = []
        // "# 200  GET /api/orders" above a command promises its status.
        var promised: Int?
        for (offset, line) in fence.lines.enumerated() {
            if let promise = line.firstMatch(of: /^# ([1-5][0-9][0-9])\b/) {
                promised = Int(promise.output.1)
            } else if let typed = line.firstMatch(of: /^(?:[$#] |(?=curl ))(.+)$/) {
                let place = "\(page):\(fence.line + offset)"
                commands.append(DocumentedCommand(text: String(typed.output.1), place: place, status: promised))
                promised = nil
            } else if commands.isEmpty {
                output.append(line)
            } else {
                commands[commands.count - 1].output.append(line)
            }
        }
        // "`bearward-dev demo --check` says whether each answer is right:", and then only what it prints.
        let isSaidBefore = fence.paragraphBefore.firstMatch(of: /^`((?:\.build|bearward)[^`]+)`/)
        if commands.isEmpty, let isSaidBefore {
            commands = [
                DocumentedCommand(
                    text: String(isSaidBefore.output.1), place: "\(page):\(fence.line)", status: nil, output: output)
            ]
            output = []
        }
        let said = fence.paragraphAfter.firstMatch(of: /The last (?:line|one) is (?:answered|a) ([1-5][0-9][0-9])/)
        if let said, !commands.isEmpty { commands[commands.count - 1].statusSaidAfter = Int(said.output.1) }
        for aside in fence.paragraphAfter.matches(of: /`(curl [^`]+)` is answered ([1-5][0-9][0-9])/) {
            let place = "\(page), below line \(fence.line)"
            commands.append(DocumentedCommand(text: String(aside.output.1), place: place, status: Int(aside.output.2)))
        }
        self.page = page
        self.line = fence.line
        self.output = Self.withoutBlankEnds(output)
        self.commands = commands.map { command in
            var command = command
            command.output = Self.withoutBlankEnds(command.output)
            return command
        }
    }

    private static func withoutBlankEnds(_ lines: [String]) -> [String] {
        let start = lines.drop(while: \.isEmpty)
        return start.reversed().drop(while: \.isEmpty).reversed()
    }
}

/// A line of a console that a reader types, and what the page promises of it.
struct DocumentedCommand: Sendable, CustomStringConvertible {
    let text: String
    /// Page and line.
    let place: String
    /// The status of the answer, where a comment above the line names it.
    let status: Int?
    /// The same, where the paragraph below the console says it.
    var statusSaidAfter: Int?
    /// Output that the page shows; `…` stands for lines left out.
    var output: [String] = []

    init(text: String, place: String, status: Int?, output: [String] = []) {
        self.text = text
        self.place = place
        self.status = status
        self.output = output
    }

    var words: [String] { text.split(separator: " ").map(String.init) }
    var program: String { words.first.flatMap { $0.split(separator: "/").last.map(String.init) } ?? "" }
    var description: String { "\(place): \(text)" }
}

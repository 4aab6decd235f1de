import ConfigurationFile
import TestSupport
import Testing

/// Random files: each is accepted, or refused with a reason.
struct MutationTests {
    private static let pieces = [
        "*", "&a ", "*a", "!", "!!str ", "<<: ", "- ", ": ", "{", "}", "[", "]", "\"", "'", "#", "\n", "\n  ", "\t",
        "|", ">", "%", "@",
        "`", "${", "$$",
        "${A:-b}", "---\n", "...\n", "? ", "\\", ",", "null", "0", "-1", "é", "\u{E000}", "\u{FEFF}", "\u{2028}",
        "public", "GET /**: a\n",
        "listen: ", "profile: logto\n", "profile: firebase", "audiences: ", "2", "{introspect: {", "jwks_uri: ",
    ]

    @Test(arguments: 0..<20)
    func `a mutated file is accepted or refused with a reason`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let whole = seed.isMultiple(of: 2) ? ConfigurationTests.text : ProfiledIssuerTests.text
            var text = Array(whole.unicodeScalars)
            for _ in 0..<Int.random(in: 1...4, using: &generator) { Self.mutate(&text, &generator) }
            var mutated = ""
            mutated.unicodeScalars.append(contentsOf: text)
            let result = Configuration.load(text: mutated, directory: ProblemCase.directory, environment: ["A": "b"])
            switch result {
            case .success(_, let warnings): #expect(warnings.allSatisfy { $0.severity == .warning })
            case .failure(let problems): #expect(problems.contains { $0.severity == .error }, "\(mutated)")
            }
            #expect(result.problems == result.problems.sorted())
            #expect(
                result.problems.allSatisfy { $0.line >= 1 && $0.column >= 1 && !$0.rendered(file: "f").contains("\n") })
        }
    }

    @Test(arguments: Effort.some([ConfigurationTests.text, ProfiledIssuerTests.text], quick: 1))
    func `a file cut off anywhere is accepted or refused with a reason`(_ text: String) {
        for length in 0..<text.count {
            let result = Configuration.load(text: String(text.prefix(length)), directory: "", environment: [:])
            #expect(!result.problems.isEmpty || length > 0)
        }
    }

    private static func mutate(_ text: inout [Unicode.Scalar], _ generator: inout SeededGenerator) {
        let start = Int.random(in: 0..<text.count, using: &generator)
        let end = min(text.count, start + Int.random(in: 0...12, using: &generator))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: text.removeSubrange(start..<end)
        case 1: text.insert(contentsOf: text[start..<end], at: Int.random(in: 0...text.count, using: &generator))
        case 2: text.replaceSubrange(start..<end, with: (pieces.randomElement(using: &generator) ?? "").unicodeScalars)
        default: text.insert(contentsOf: (pieces.randomElement(using: &generator) ?? "").unicodeScalars, at: start)
        }
    }
}

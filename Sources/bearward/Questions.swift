import ArgumentParser
import ConfigurationFile

/// Questions to a person: each goes to standard error, and a line of standard input answers it.
struct Questions {
    private(set) var hasAsked = false
    /// True after the end of standard input. No further question can be answered then.
    private(set) var isOver = false

    /// Asks until an answer is accepted.
    ///
    /// - Parameters:
    ///   - option: the option that makes the question unnecessary.
    ///   - complaint: says what is wrong with an answer. Nil if it is accepted.
    /// - Throws: the last complaint, or that the option is missing, at the end of standard input.
    mutating func answer(
        _ question: String, option: String, complaint: (String) -> String? = { _ in nil }
    ) throws -> String {
        try accepted(question, complaint, orMissing: option) ?? ""
    }

    /// Asks until an answer is accepted, or left out. Nil for an empty line, or at the end of standard input.
    mutating func optional(_ question: String, complaint: (String) -> String? = { _ in nil }) throws -> String? {
        try accepted(question, complaint, orMissing: nil)
    }

    private mutating func accepted(
        _ question: String, _ complaint: (String) -> String?, orMissing option: String?
    ) throws -> String? {
        var wrong: String?
        while let answer = line(question) {
            if answer.isEmpty {
                guard let option else { return nil }
                wrong = "an answer is needed, or \(option)"
            } else {
                wrong = complaint(answer)
                guard wrong != nil else { return answer }
            }
            StandardStreams.tell(.error, wrong.map { "\($0); answer again" } ?? "")
        }
        if let wrong { throw ValidationError(wrong) }
        guard let option else { return nil }
        throw ValidationError("\(option) is missing, and there was no answer")
    }

    /// The next line without surplus spaces. Nil at the end of standard input.
    private mutating func line(_ question: String) -> String? {
        hasAsked = true
        StandardStreams.message("\(question):")
        let line = readLine()
        isOver = line == nil
        return line?.split(separator: " ").joined(separator: " ")
    }
}

import ArgumentParser
import ConfigurationFile

/// Asks a person questions: each is printed on standard error and answered by a line of standard input.
struct Questions {
    private(set) var hasAsked = false
    /// True after the end of standard input. No further question can be answered then.
    private(set) var isOver = false
    /// Problem of the last answer. Nil after an accepted one.
    private var mistake: String?

    /// Asks until an answer is accepted.
    ///
    /// - Parameters:
    ///   - option: command-line option that would have given the answer.
    ///   - complaint: returns the problem of an answer. Nil if the answer is accepted.
    /// - Throws: at the end of standard input: the last complaint, or that the option is missing.
    mutating func answer(
        _ question: String, option: String, complaint: (String) -> String? = { _ in nil }
    ) throws -> String {
        try accepted(question, complaint, orMissing: option) ?? ""
    }

    /// Asks until an answer is accepted or skipped. Nil after an empty line or at the end of standard input.
    mutating func optional(_ question: String, complaint: (String) -> String? = { _ in nil }) throws -> String? {
        try accepted(question, complaint, orMissing: nil)
    }

    private mutating func accepted(
        _ question: String, _ complaint: (String) -> String?, orMissing option: String?
    ) throws -> String? {
        while let answer = line(question) {
            if answer.isEmpty, option == nil { return nil }
            let wrong = answer.isEmpty ? option.map { "an answer is needed, or \($0)" } : complaint(answer)
            guard let wrong else {
                mistake = nil
                return answer
            }
            reject(wrong)
        }
        if let mistake { throw ValidationError(mistake) }
        guard let option else { return nil }
        throw ValidationError("\(option) is missing, and there was no answer")
    }

    /// Reports a problem of the last answer, which is asked for again.
    mutating func reject(_ complaint: String) {
        mistake = complaint
        StandardStreams.tell(.error, "\(complaint); answer again")
    }

    /// Prints the question and reads a line, without surplus spaces. Nil at the end of standard input.
    private mutating func line(_ question: String) -> String? {
        hasAsked = true
        StandardStreams.message("\(question):")
        let line = readLine()
        isOver = line == nil
        return line?.split(separator: " ").joined(separator: " ")
    }
}

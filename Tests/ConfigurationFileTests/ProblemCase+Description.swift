import TestSupport
import Testing

extension ProblemCase: CustomTestStringConvertible {
    public var testDescription: String { name }
}

/// Figures of one name, told apart by their labels: what `/metrics` says, before it is text.
public struct MetricFamily: Sendable {
    public enum Kind: String, Sendable {
        /// Only ever grows, from zero at the start of the process.
        case counter
        case gauge
    }

    public struct Sample: Sendable {
        /// In this order. Values are the operator's words or from closed lists, never a client's.
        public let labels: [(name: StaticString, value: String)]
        public let value: Double

        public init(_ value: Double, _ labels: [(name: StaticString, value: String)] = []) {
            self.value = value
            self.labels = labels
        }

        public init(_ value: some BinaryInteger, _ labels: [(name: StaticString, value: String)] = []) {
            self.init(Double(value), labels)
        }
    }

    public let name: StaticString
    public let kind: Kind
    public let help: StaticString
    public let samples: [Sample]

    /// - Parameters:
    ///   - name: with its unit at the end, and `_total` behind a counter's.
    ///   - help: one line.
    public init(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }
}

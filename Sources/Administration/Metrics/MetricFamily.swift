/// Samples of one metric name, distinguished by their labels, before `/metrics` turns them into text.
public struct MetricFamily: Sendable {
    public enum Kind: String, Sendable {
        /// Only ever grows, from zero at the start of the process.
        case counter
        case gauge
        /// How often a value was within each of some bounds, and the sum of the values.
        case histogram
    }

    public struct Sample: Sendable {
        /// In this order. Values are the operator's words or from closed lists, never a client's.
        public let labels: [(name: StaticString, value: String)]
        public let value: Double
        /// What stands behind the family's name, for a part of a histogram.
        public let suffix: StaticString

        public init(_ value: Double, _ labels: [(name: StaticString, value: String)] = []) {
            self.init(value, labels, suffix: "")
        }

        private init(_ value: Double, _ labels: [(name: StaticString, value: String)], suffix: StaticString) {
            self.value = value
            self.labels = labels
            self.suffix = suffix
        }

        public init(_ value: some BinaryInteger, _ labels: [(name: StaticString, value: String)] = []) {
            self.init(Double(value), labels)
        }

        /// The samples of one histogram.
        ///
        /// - Parameters:
        ///   - bounds: upper bounds, in order; what is above the last one is in a bucket of its own.
        ///   - counts: by bucket; each has only its own.
        ///   - sum: of all values.
        public static func histogram(
            bounds: [Double], counts: [UInt64], sum: Double, _ labels: [(name: StaticString, value: String)] = []
        ) -> [Sample] {
            var total: UInt64 = 0
            let buckets = zip(bounds + [.infinity], counts).map { bound, count in
                total &+= count
                return Sample(Double(total), labels + [("le", PrometheusText.number(bound))], suffix: "_bucket")
            }
            return buckets + [Sample(sum, labels, suffix: "_sum"), Sample(Double(total), labels, suffix: "_count")]
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

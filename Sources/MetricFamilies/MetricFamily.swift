/// Samples of one metric name, distinguished by their labels. `/metrics` writes them as text.
public struct MetricFamily: Sendable {
    public enum Kind: String, Sendable {
        /// A value that only increases, from zero at the start of the process.
        case counter
        case gauge
        /// Numbers of values up to each of several bounds, and the sum of the values.
        case histogram
    }

    /// Label names and values, in order. Values come from the configuration or from closed lists, never from clients.
    public typealias Labels = [(name: StaticString, value: String)]

    public struct Sample: Sendable {
        public let value: Double
        public let labels: Labels
        /// Suffix of the family's name for a part of a histogram. Empty otherwise.
        public let suffix: StaticString

        public init(_ value: Double, _ labels: Labels = [], _ suffix: StaticString = "") {
            self.value = value
            self.labels = labels
            self.suffix = suffix
        }

        public init(_ value: some BinaryInteger, _ labels: Labels = [], _ suffix: StaticString = "") {
            self.init(Double(value), labels, suffix)
        }
    }

    /// The metric name, with its unit at the end, and then `_total` for a counter.
    public let name: StaticString
    public let kind: Kind
    /// The help text, in one line.
    public let help: StaticString
    public let samples: [Sample]

    public static func counter(_ name: StaticString, _ help: StaticString, _ samples: [Sample]) -> MetricFamily {
        MetricFamily(name: name, kind: .counter, help: help, samples: samples)
    }

    public static func gauge(_ name: StaticString, _ help: StaticString, _ samples: [Sample]) -> MetricFamily {
        MetricFamily(name: name, kind: .gauge, help: help, samples: samples)
    }

    public static func histogram(_ name: StaticString, _ help: StaticString, _ samples: [Sample]) -> MetricFamily {
        MetricFamily(name: name, kind: .histogram, help: help, samples: samples)
    }

    // MARK: Families without labels. Nil makes a family without samples.

    public static func counter(_ name: StaticString, _ help: StaticString, _ value: (some BinaryInteger)?)
        -> MetricFamily
    {
        counter(name, help, value.map { [Sample($0)] } ?? [])
    }

    public static func gauge(_ name: StaticString, _ help: StaticString, _ value: (some BinaryInteger)?) -> MetricFamily
    {
        gauge(name, help, value.map { [Sample($0)] } ?? [])
    }

    public static func gauge(_ name: StaticString, _ help: StaticString, _ value: Double?) -> MetricFamily {
        gauge(name, help, value.map { [Sample($0)] } ?? [])
    }
}

extension [MetricFamily.Sample] {
    /// The samples of one histogram.
    ///
    /// - Parameters:
    ///   - bounds: upper bounds in ascending order. A last bucket without a bound is added.
    ///   - counts: number of values in each bucket, not cumulative.
    ///   - sum: sum of all values.
    public static func histogram(bounds: [Double], counts: [UInt64], sum: Double, _ labels: MetricFamily.Labels) -> Self
    {
        var total: UInt64 = 0
        let buckets = zip(bounds + [.infinity], counts).map { bound, count in
            total &+= count
            return Element(total, labels + [("le", PrometheusText.number(bound))], "_bucket")
        }
        return buckets + [Element(sum, labels, "_sum"), Element(total, labels, "_count")]
    }

    /// One sample for each value of a label, from a closed list.
    public static func by(_ label: StaticString, _ values: KeyValuePairs<String, some BinaryInteger>) -> Self {
        values.map { Element($0.value, [(label, $0.key)]) }
    }
}

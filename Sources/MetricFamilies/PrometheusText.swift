/// Writer for metrics in Prometheus's text format, version 0.0.4.
public enum PrometheusText {
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    public static func bytes(_ families: [MetricFamily]) -> [UInt8] {
        var text = ""
        for family in families {
            text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind.rawValue)\n"
            for sample in family.samples { append(sample, of: family.name, to: &text) }
        }
        return Array(text.utf8)
    }

    private static func append(_ sample: MetricFamily.Sample, of name: StaticString, to text: inout String) {
        text += "\(name)\(sample.suffix)"
        if !sample.labels.isEmpty {
            text += "{" + sample.labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
        }
        text += " \(number(sample.value))\n"
    }

    /// A label's value with the characters escaped that would end the value or the line.
    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }

    /// The number as text. Whole numbers have no decimal point, as long as they are exact.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}

import Testing

@testable import Administration

struct PrometheusTextTests {
    private func text(_ families: MetricFamily...) -> String {
        String(decoding: PrometheusText.bytes(families), as: UTF8.self)
    }

    @Test func `a family has its help, its type and one line for each sample`() {
        let family = MetricFamily(
            "bearward_x_total", .counter, "What x does.", [.init(3, [("rule", "GET /a"), ("reason", "")]), .init(0.5), .init(1e18)])
        #expect(
            text(family)
                == """
                # HELP bearward_x_total What x does.
                # TYPE bearward_x_total counter
                bearward_x_total{rule="GET /a",reason=""} 3
                bearward_x_total 0.5
                bearward_x_total 1000000000000000000

                """)
    }

    @Test(arguments: [("a\"b", #"a\"b"#), ("a\\b", #"a\\b"#), ("a\nb", #"a\nb"#), ("é", "é"), ("", "")])
    func `a label's value ends neither its quotes nor its line (T428)`(value: String, written: String) {
        let sample = MetricFamily.Sample(1, [("l", value)])
        #expect(text(MetricFamily("m", .gauge, "h", [sample])).hasSuffix("m{l=\"\(written)\"} 1\n"))
    }

    @Test func `what is no number is written as Prometheus reads it`() {
        let family = MetricFamily("m", .gauge, "h", [.init(Double.nan), .init(Double.infinity), .init(-Double.infinity)])
        #expect(text(family).hasSuffix("m NaN\nm +Inf\nm -Inf\n"))
    }
}

import Testing

@testable import MetricFamilies

struct PrometheusTextTests {
    private func text(_ families: MetricFamily...) -> String {
        String(decoding: PrometheusText.bytes(families), as: UTF8.self)
    }

    @Test func `a metric family is written with help, type and one line per sample`() {
        let family = MetricFamily.counter(
            "bearward_x_total", "What x does.",
            [.init(3, [("rule", "GET /a"), ("reason", "")]), .init(0.5), .init(1e18)])
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
    func `a label value cannot end its quotes or its line (T428)`(value: String, written: String) {
        let sample = MetricFamily.Sample(1, [("l", value)])
        #expect(text(.gauge("m", "h", [sample])).hasSuffix("m{l=\"\(written)\"} 1\n"))
    }

    @Test func `a histogram is written as cumulative buckets, sum and count`() {
        let samples = [MetricFamily.Sample].histogram(
            bounds: [0.001, 2.5], counts: [1, 0, 2], sum: 20.25, [("rule", "GET /a")])
        #expect(
            text(.histogram("bearward_x_seconds", "What x takes.", samples))
                == """
                # HELP bearward_x_seconds What x takes.
                # TYPE bearward_x_seconds histogram
                bearward_x_seconds_bucket{rule="GET /a",le="0.001"} 1
                bearward_x_seconds_bucket{rule="GET /a",le="2.5"} 1
                bearward_x_seconds_bucket{rule="GET /a",le="+Inf"} 3
                bearward_x_seconds_sum{rule="GET /a"} 20.25
                bearward_x_seconds_count{rule="GET /a"} 3

                """)
    }

    @Test func `NaN and infinities are written as Prometheus reads them`() {
        let family = MetricFamily.gauge("m", "h", [.init(Double.nan), .init(Double.infinity), .init(-Double.infinity)])
        #expect(text(family).hasSuffix("m NaN\nm +Inf\nm -Inf\n"))
    }
}

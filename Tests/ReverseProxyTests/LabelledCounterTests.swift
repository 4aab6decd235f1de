import MetricFamilies
import Testing
import TokenVerification

@testable import ReverseProxy

struct LabelledCounterTests {
    private static func text(_ family: MetricFamily) -> [Substring] {
        String(decoding: PrometheusText.bytes([family]), as: UTF8.self).split(separator: "\n")
    }

    private static func counter() -> LabelledCounter {
        LabelledCounter(name: "bearward_x_total", labels: ["resource", "reason"], help: "Tests.")
    }

    @Test func `counts of two event loops are added, and each is handed over once`() {
        let counter = Self.counter()
        for _ in 1...2 {
            var loop = LabelledTally<Int>()
            for key in [1, 1, 2, 1] { loop.add(key, ["a", "\(key)"]) }
            for _ in 1...2 { loop.handOver(to: counter) }
            loop.add(2, ["a", "2"])
            loop.handOver(to: counter)
        }
        #expect(counter.counts == [["a", "1"]: 6, ["a", "2"]: 4])
    }

    @Test func `label values are built when a key is new, and not for each count`() {
        var made = 0
        func values() -> [String] {
            made += 1
            return ["a", ""]
        }
        var loop = LabelledTally<Int>()
        for key in [1, 1, 2, 1, 2] { loop.add(key, values()) }
        #expect(made == 2)
        loop.handOver(to: Self.counter())
        loop.add(1, values())
        #expect(made == 3)
    }

    @Test func `samples are in the order of their labels' values`() {
        let counter = Self.counter()
        for values in [["b", ""], ["a", "z"], ["a", ""]] { counter.add(1, values) }
        #expect(
            Self.text(counter.family).dropFirst(2) == [
                #"bearward_x_total{resource="a",reason=""} 1"#, #"bearward_x_total{resource="a",reason="z"} 1"#,
                #"bearward_x_total{resource="b",reason=""} 1"#,
            ])
    }

    @Test func `each case of an enum has a sample, in the order of declaration`() {
        let delays = CaseCounter<LoopDelay>()
        delays.add(lateness: 5_000_000)
        #expect(delays.counts.isEmpty)
        delays.add(lateness: 50_000_001)
        #expect(
            Self.text(delays.family).dropFirst(2) == [
                #"bearward_event_loop_delays_total{longer_than="5ms"} 1"#,
                #"bearward_event_loop_delays_total{longer_than="50ms"} 1"#,
                #"bearward_event_loop_delays_total{longer_than="500ms"} 0"#,
            ])
    }

    @Test func `a rule in observe mode is counted and has its end`() throws {
        let rule = ObservedRule(("orders", "GET /a"), NumericDate(seconds: 5))
        let families = try UpstreamSessionFixture.state.get().trafficFamilies(observed: [rule])
        let texts = families.flatMap { Self.text($0) }
        #expect(texts.contains("bearward_observed_rules 1"))
        #expect(texts.contains(#"bearward_observe_until_timestamp_seconds{resource="orders",rule="GET /a"} 5"#))
    }

    @Test func `an unexpected state machine event is counted`() throws {
        let state = try UpstreamSessionFixture.state.get()
        func count() -> Double? {
            state.trafficFamilies(observed: []).first { "\($0.name)" == "bearward_unexpected_events_total" }?
                .samples.first?.value
        }
        let before = try #require(count())
        state.unexpectedEvent()
        #expect(count() == before + 1)
    }
}

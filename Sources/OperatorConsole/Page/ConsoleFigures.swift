/// The row of figures: traffic of the last interval, with a graph that the script draws.
struct ConsoleFigures {
    private let process: ProcessState
    /// Traffic of the last interval. Nil in the first seconds.
    private let latest: TrafficPoint?

    init(_ overview: Overview) {
        (process, latest) = (overview.process, overview.traffic.points.last)
    }

    var html: String {
        """
        <dl class="figures" aria-label="Traffic; graphs of the last 15 minutes">
        \(graph("requests", "requests / s", latest.map { ShownNumber.rate($0.requests) }))
        \(graph("client-errors", "4xx / s", latest.map { ShownNumber.rate($0.clientErrors) }))
        \(graph("server-errors", "5xx / s", latest.map { ShownNumber.rate($0.serverErrors) }))
        \(graph("p50", "p50", ShownNumber.duration(latest?.median)))
        \(graph("p99", "p99", ShownNumber.duration(latest?.percentile99)))
        <div class="plain"><dt>in flight</dt><dd><p id="in-flight" class="now">\(inFlight)</p>
        <p id="connections" class="top">\(process.connections) connections</p></dd></div>
        <div class="plain"><dt>token cache hits</dt><dd><p id="cache" class="now">\(hitShare)</p>
        <p id="lookups" class="top">\(lookups) lookups</p></dd></div>
        </dl>
        """
    }

    /// - Parameter value: nil if it is not known yet.
    private func graph(_ name: String, _ label: String, _ value: String?) -> String {
        """
        <div><dt>\(label)</dt><dd><p id="\(name)-now" class="now">\(value ?? "–")</p>
        <svg class="with-script" viewBox="0 0 180 31" preserveAspectRatio="none" aria-hidden="true" hidden>\
        <path id="\(name)-line" d=""/></svg>
        <p id="\(name)-top" class="top"></p></dd></div>
        """
    }

    private var inFlight: String { ShownNumber.count(UInt64(clamping: process.requestsInFlight)) }
    private var lookups: String { ShownNumber.count(process.cacheHits &+ process.cacheMisses) }

    private var hitShare: String {
        let (hits, all) = (Double(process.cacheHits), Double(process.cacheHits &+ process.cacheMisses))
        return all > 0 ? "\(ShownNumber.rate((hits / all) / 0.01)) %" : "–"
    }
}

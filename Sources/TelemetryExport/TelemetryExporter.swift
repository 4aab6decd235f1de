import FoundationEssentials
import KeySetFetching
import Logging
import Logs
import MetricFamilies
import SwiftProtobuf
import Telemetry

/// Exports spans and metrics to the collector of the configuration in force.
///
/// Nothing waits for it. Spans that it cannot send in time are dropped and counted.
public actor TelemetryExporter {
    /// Spans that wait to be exported.
    public nonisolated let spans = SpanQueue()
    private nonisolated let counts = ExportCounts()
    private let resource: TelemetryResource
    private let proxies: ProxyEnvironment
    /// Returns the time since 1970, in nanoseconds.
    private let clock: @Sendable () -> UInt64
    private let logger: Logger
    /// Returns the present metrics. Nil until the process has them.
    private var metrics: (@Sendable () async -> [MetricFamily])?

    private var settings: TelemetrySettings?
    private var tasks: [Task<Void, Never>] = []
    private var client: CollectorClient?
    /// Signals whose exports fail. Of each, only the first failure and the recovery are logged.
    private var failing: Set<TelemetrySignal> = []
    /// Number of requests with spans that are not answered yet.
    private var spanRequests = 0

    /// Longest time that a span waits before it is sent, if not many others wait.
    static let spanInterval = Duration.seconds(1)
    /// Largest size of the spans in one request, in bytes. Collectors take 4 MiB or more.
    static let longestRequest = 1024 * 1024
    /// Pauses before the second and each further attempt to send the same spans.
    static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8)]
    /// Longest pause that a collector may ask for.
    static let longestPause = Duration.seconds(30)
    /// Longest time for the last spans when the process ends.
    static let closingLimit = Duration.seconds(2)

    /// - Parameter clock: returns the time since 1970, in nanoseconds.
    public init(
        _ resource: TelemetryResource, proxies: ProxyEnvironment, clock: @escaping @Sendable () -> UInt64,
        logger: Logger
    ) {
        self.resource = resource
        self.proxies = proxies
        self.clock = clock
        self.logger = logger
    }

    /// Counts of the exports.
    public nonisolated var families: [MetricFamily] { counts.families(overflown: spans.dropped) }

    // MARK: Settings

    /// Sets what is read at each export of metrics.
    public func exportMetrics(_ metrics: @escaping @Sendable () async -> [MetricFamily]) {
        self.metrics = metrics
    }

    /// Exports as these settings say from now on. Nil ends all exports.
    public func take(_ new: TelemetrySettings?) async {
        guard new != settings else { return }
        settings = new
        failing = []
        await stopTasks()
        guard let new else { return spans.collect(nil) }
        if new.traces != nil { beginTraces() } else { spans.collect(nil) }
        if let interval = new.metricsInterval { beginMetrics(every: interval) }
    }

    private func beginTraces() {
        let (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        spans.collect { wakeUp.yield() }
        tasks.append(
            Task {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask {
                        while !Task.isCancelled {
                            try? await Task.sleep(for: Self.spanInterval)
                            wakeUp.yield()
                        }
                        wakeUp.finish()
                    }
                    for await _ in wakeUps { await self.sendSpans() }
                    group.cancelAll()
                }
            })
    }

    private func beginMetrics(every interval: Duration) {
        tasks.append(
            Task {
                while !Task.isCancelled {
                    do { try await Task.sleep(for: interval) } catch { return }
                    await self.sendMetrics()
                }
            })
    }

    private func stopTasks() async {
        let stopped = tasks
        tasks = []
        for task in stopped { task.cancel() }
        for task in stopped { await task.value }
        client = nil
    }

    /// Sends what waits, within ``closingLimit``, and ends all exports.
    public func end() async {
        if settings?.traces != nil {
            _ = await TimeLimit.run(within: Self.closingLimit) {
                await self.sendSpans(patiently: false)
                while await self.spanRequests > 0, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
                return true
            }
        }
        await take(nil)
    }

    // MARK: Exports

    /// Sends all spans that wait.
    ///
    /// - Parameter patiently: true to try again after a failure.
    private func sendSpans(patiently: Bool = true) async {
        while !Task.isCancelled {
            let batches = spans.take(atMost: Self.longestRequest)
            guard !batches.isEmpty, let service = settings?.serviceName else { return }
            let count = batches.reduce(0) { $0 + $1.count }
            spanRequests += 1
            defer { spanRequests -= 1 }
            do throws(ExportFailure) {
                let message = OTLPTraceRequest(batches, of: service, resource)
                let answer = try await send(message, as: .traces, patiently ? Self.pauses : [])
                counts.succeeded(.traces, spans: count, rejected: min(answer.rejected, count))
                note(answer, .traces)
            } catch {
                counts.failed(.traces, spans: count)
                note(error, .traces)
                if !patiently { return }
            }
        }
    }

    private func sendMetrics() async {
        guard let service = settings?.serviceName, let families = await metrics?() else { return }
        let message = OTLPMetricsRequest(families, of: service, resource, at: clock())
        do throws(ExportFailure) {
            // The next export has all of this too.
            let answer = try await send(message, as: .metrics, [])
            counts.succeeded(.metrics)
            note(answer, .metrics)
        } catch {
            counts.failed(.metrics)
            note(error, .metrics)
        }
    }

    /// Sends a message, and again after each pause while that may help.
    private func send(_ message: some Message, as signal: TelemetrySignal, _ pauses: [Duration])
        async throws(ExportFailure) -> (rejected: Int, why: String)
    {
        let bytes: [UInt8]
        do {
            bytes = try message.serializedBytes()
        } catch {
            throw ExportFailure(cause: "\(error)")
        }
        var pauses = pauses[...]
        while true {
            do throws(ExportFailure) {
                return try await currentClient().send(bytes, as: signal)
            } catch {
                guard error.mayRetry, let pause = pauses.popFirst(), !Task.isCancelled else { throw error }
                note(error, signal)
                client = nil
                try? await Task.sleep(for: min(max(pause, error.retryAfter ?? .zero), Self.longestPause))
            }
        }
    }

    private func currentClient() async throws(ExportFailure) -> CollectorClient {
        if let client, .now < client.openedAt + CollectorClient.lifetime { return client }
        guard let settings else { throw ExportFailure(cause: "there is no collector any more") }
        let new = try await CollectorClient(settings.collector, proxies: proxies)
        client = new
        return new
    }

    // MARK: Logs

    private func note(_ failure: ExportFailure, _ signal: TelemetrySignal) {
        guard let settings, failing.insert(signal).inserted else { return }
        logger.warning(
            "Telemetry cannot be exported",
            [.endpoint: .text(settings.collector.url(of: signal)), .cause: .text(failure.cause)])
    }

    private func note(_ answer: (rejected: Int, why: String), _ signal: TelemetrySignal) {
        guard let settings else { return }
        let endpoint = settings.collector.url(of: signal)
        guard answer.rejected == 0 else {
            guard failing.insert(signal).inserted else { return }
            return logger.warning(
                "The collector rejects a part of the telemetry",
                [.endpoint: .text(endpoint), .cause: .text(String(answer.why.prefix(200)))])
        }
        guard failing.remove(signal) != nil else { return }
        logger.notice("Telemetry is exported again", [.endpoint: .text(endpoint)])
    }
}

extension OTLPTraceRequest {
    /// Makes the request that exports spans.
    init(_ batches: [SpanQueue.Batch], of service: String, _ resource: TelemetryResource) {
        self.init()
        var spans = (try? OTLPScope.with { $0.scope = resource.scope }.serializedBytes() as Data) ?? Data()
        spans.reserveCapacity(spans.count + batches.reduce(0) { $0 + $1.bytes.count })
        for batch in batches { spans.append(contentsOf: batch.bytes) }
        resourceSpans = [
            .with {
                $0.resource = resource.message(of: service)
                $0.scopeSpans = [spans]
            }
        ]
    }
}

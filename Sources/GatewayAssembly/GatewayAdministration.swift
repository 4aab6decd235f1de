import Administration
import ConfigurationFile
import Denials
import JOSE
import KeySetFetching
import KeySets
import KnownTokens
import Logging
import Logs
import MetricFamilies
import OperatorConsole
import Quotas
import ReverseProxy
import SharedState
import TelemetryExport
import TokenIntrospection
import TokenVerification
import TransportSecurity

/// Readiness of a gateway, and the admin listener, which serves it together with metrics and other reports.
public actor GatewayAdministration {
    let gateway: Gateway
    let shadow: RunningShadow
    let process: ProcessParts
    private let accessLog: AccessLog
    /// Addresses of the listeners.
    private let addresses: [String]

    private(set) var current: Generation
    /// History of the configuration file in force.
    private(set) var file = FileLoads(loadedAt: Moment.now.date)
    /// Hits and misses of earlier token caches. A reload that changes the configuration starts a new cache.
    private var retiredCaches = TokenCacheStatistics()
    private var phase = Readiness.Phase.starting
    private var readinessOutlivesReload = false
    private var server: AdminServer?
    private var isStopped = false
    let startedAt = ContinuousClock.now
    /// Samples of the last minutes, for the operators' page.
    var traffic = TrafficHistory(bounds: Gateway.durationBounds)
    /// Latest state that was shown, and when it was read. Nil if there is none.
    var shown: (overview: Overview, madeAt: ContinuousClock.Instant)?

    /// Longest time to wait for the first key sets before the process counts as started.
    private static let startLimit: Duration = .seconds(6)
    /// Interval of the readiness checks of a gateway that was not ready after its start.
    private static let readinessInterval: Duration = .milliseconds(500)
    /// Interval at which a successor tries to bind the address. Failures of the first ten seconds are not logged.
    private static let bindInterval: Duration = .milliseconds(50)
    private static let patientAttempts = 200

    init(
        of first: Generation, _ gateway: Gateway, _ shadow: RunningShadow, _ process: ProcessParts,
        _ accessLog: AccessLog, addresses: [String]
    ) {
        (current, self.gateway, self.shadow, self.process) = (first, gateway, shadow, process)
        (self.accessLog, self.addresses) = (accessLog, addresses)
    }

    // MARK: The address

    /// The address of the admin listener. Nil if there is none.
    public var address: String? { server?.address }

    /// Binds the admin address, if the configuration has one.
    func bind() async throws(StartFailure) {
        guard let address = current.configuration.admin else { return }
        let clients = AdminClients(current.configuration.adminClients)
        do {
            server = try await AdminServer.start(
                host: address.host, port: address.port, permits: { clients.contains($0) },
                descriptorLimit: { ListeningSocket.descriptorLimit }, logger: process.logger,
                readiness: { await self.readiness() }, metrics: { await self.metrics() },
                upstreams: { [gateway] in gateway.upstreams.map(UpstreamStatus.init) },
                configuration: { await self.configurationStatus() },
                token: { await self.current.configuration.adminToken },
                change: { await self.change($0) },
                denials: process.denials.service, refresh: { await self.refresh(issuer: $0) },
                history: HistoryService(
                    refusals: { [gateway] in await gateway.refusals().map(RefusalList.init) },
                    callers: { [gateway] in await gateway.callers().map(CallerList.init) },
                    passed: { [gateway] in await gateway.passed(resource: $0, rule: $1).map(PassedList.init) }),
                overview: { await self.overview() })
        } catch {
            throw .admin(address: address.text, PlainReason.of(error))
        }
        if isStopped { await stop() }
    }

    /// Binds the admin address as soon as it is free. A predecessor that is hung, or was just killed, may still have
    /// it.
    func bindOnceFree() async {
        var attempts = 0
        while server == nil, !isStopped {
            do {
                try await bind()
                if let server { process.logger.notice("Admin listener ready", [.address: .text(server.address)]) }
                return
            } catch {
                attempts += 1
                if attempts == Self.patientAttempts {
                    process.logger.warning("The admin address is not free yet; retrying", [.cause: "\(error)"])
                }
                try? await Task.sleep(for: Self.bindInterval)
            }
        }
    }

    /// Releases the admin address permanently.
    func stop() async {
        isStopped = true
        await server?.stop()
        server = nil
    }

    // MARK: Events

    /// Notes that a new generation replaces the one in force.
    func take(_ next: Generation) async {
        readinessOutlivesReload = await readiness().isReady
        if let cache = current.cache, cache !== next.cache { retiredCaches = retiredCaches + cache.statistics }
        file.noteSuccess()
        current = next
    }

    /// Counts a refused reload.
    public func reloadRefused(_ cause: String) {
        file.noteRefusal(cause)
    }

    func drain() {
        phase = .draining
    }

    // MARK: Changes by operators

    /// Drains a target or returns it to rotation.
    private func change(_ asked: TargetChange) -> [UpstreamStatus] {
        shown = nil
        return gateway.drain(asked.target, of: asked.resource, below: asked.path, asked.isDrained)
            .map { UpstreamStatus($0) }
    }

    /// Fetches the keys of an issuer now. Nil if there is no issuer with this name.
    private func refresh(issuer name: String) async -> KeyRefresh? {
        let refreshed = await current.contacts.refresh(issuer: name)
        shown = nil
        return refreshed
    }

    // MARK: Readiness

    /// Answer to `/readyz`.
    func readiness() async -> Readiness {
        let (issuers, denials) = (await current.contacts.statuses(), await process.denials.sharing)
        let readiness = Readiness(
            phase: reportedPhase, issuers: issuers, denials: denials,
            tableDifference: process.keyTables.status.difference, outlivesReload: readinessOutlivesReload)
        if readiness.hasKeys { readinessOutlivesReload = false }
        return readiness
    }

    /// The phase to report: the present one, or a condition for which a running gateway is not ready.
    private var reportedPhase: Readiness.Phase {
        guard phase == .running else { return phase }
        if gateway.isShortOfMemory { return .shortOfMemory }
        return NumericDate.plausible.contains(Moment.now.date) ? .running : .wrongClock
    }

    /// Marks the gateway as running once the first key sets are fetched, or after a time limit. Logs when `/readyz`
    /// answers 200.
    ///
    /// If it does not answer 200 at once, the reason is logged too.
    func becomeReady() async {
        await current.contacts.keySets.firstFetches(within: Self.startLimit)
        if phase == .starting { phase = .running }
        if let obstacle = await readiness().obstacle, phase != .draining {
            process.logger.warning(
                "Not ready: /readyz answers 503", [.addresses: .list(addresses), .cause: .text(obstacle)])
        }
        while phase != .draining {
            guard await readiness().isReady else {
                try? await Task.sleep(for: Self.readinessInterval)
                continue
            }
            return process.logger.notice("Ready", [.addresses: .list(addresses)])
        }
    }

    // MARK: Other answers

    /// Answer to `/metrics`, and what is exported to OpenTelemetry.
    func metrics() async -> [MetricFamily] {
        let readiness = await readiness()
        let shadowLoads = await shadow.loads
        let parts = [
            gateway.trafficFamilies(at: Moment.now.date),
            [WeakeningSetting.family(of: current.configuration.weakenings)], await shadow.families,
            gateway.requestFamilies(isShadowed: shadowLoads != nil),
            [TLSIdentity.family(of: process.certificates.identities)],
            KeySetStatus.families(of: readiness.issuers.map { ($0.name, $0.keySets) }),
            RealmsStatus.families(
                of: readiness.issuers.compactMap { issuer in issuer.realms.map { (issuer.name, $0) } }),
            IntrospectionStatus.families(of: readiness.issuers.compactMap(\.introspection)),
            process.keyTables.status.families,
            TokenCacheStatistics.families(of: current.cache?.statistics, after: retiredCaches),
            current.quotas.map { [$0.table.family] } ?? [],
            StoreFigures.families(of: current.quotas?.store?.figures), await process.denials.families,
            file.counts.families(
                isReady: readiness.isReady, generation: current.number, digest: current.configuration.fileDigest ?? "",
                restarts: process.succession.restarts),
            accessLog.families(logLines: process.droppedLogLines()), process.telemetry.families,
            ProcessStatistics()?.families ?? [],
        ]
        return parts.flatMap(\.self)
    }

    /// Statistics of the token cache and of all earlier ones.
    var cacheStatistics: TokenCacheStatistics {
        retiredCaches + (current.cache?.statistics ?? TokenCacheStatistics())
    }

    /// Answer to `/api/configuration`.
    private func configurationStatus() async -> ConfigurationStatus {
        ConfigurationStatus(
            inForce: file.status(generation: current.number),
            shadow: await shadow.loads.map { $0.status(generation: $0.counts.succeeded) })
    }
}

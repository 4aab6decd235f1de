import ConfigurationFile
import Denials
import JOSE
import KeySetFetching
import KnownTokens
import Logging
import NIOCore
import ProxySettings
import Quotas
import ReverseProxy
import TelemetryExport

/// A running gateway: the configuration in force, possibly a shadow, the listeners and the admin listener.
///
/// This module is the only one that knows all others. It decides nothing about requests.
public actor RunningGateway {
    /// Addresses of the listeners, with the actual ports.
    public nonisolated let addresses: [String]
    public nonisolated let shadow: RunningShadow
    public nonisolated let administration: GatewayAdministration
    let gateway: Gateway
    nonisolated let process: ProcessParts
    private let accessLog: AccessLog
    private let names: KeptNames

    private(set) var current: Generation
    /// Task that starts accepting connections, once. Nil until then.
    private var acceptance: Task<StartFailure?, Never>?
    /// True once the gateway has to leave its sockets to a successor or to drain. It starts nothing then.
    private var isLeaving = false
    private var certificateWatch: Task<Void, Never>?
    private var namesWatch: Task<Void, Never>?
    private var denialWatch: Task<Void, Never>?
    private var denialExchange: Task<Void, Never>?
    /// Task that samples the traffic for the operators' page. Nil without an admin listener.
    private var trafficWatch: Task<Void, Never>?

    /// Binds or adopts the sockets, starts fetching key sets, and serves.
    ///
    /// Requests are accepted at once. Those that need a key set which is still being fetched wait for it.
    ///
    /// - Parameters:
    ///   - environment: environment with the descriptors of inherited sockets (`LISTEN_FDS`).
    ///   - keySetsDirectory: folder for saved key sets if the file names none. Nil if they are not saved then.
    ///   - namesDescriptor: descriptor of the file for addresses of upstreams' names, if there is no state directory.
    ///     Nil if they are not saved then.
    ///   - succession: data about the predecessor of this process. Nil without a supervisor.
    ///   - droppedLogLines: returns the number of lost lines of the operational log; called at every `/metrics`.
    public static func start(
        _ configuration: Configuration, environment: [String: String] = [:], keySetsDirectory: String? = nil,
        namesDescriptor: CInt? = nil, succession: Succession? = nil,
        droppedLogLines: @escaping @Sendable () -> UInt64 = { 0 }, logger: Logger
    ) async throws(StartFailure) -> RunningGateway {
        let sockets: [ListeningSocket]
        do {
            sockets = try ListeningSocket.adopted(
                from: environment, orBinding: configuration.listenersAndDoors.map(\.address.text))
        } catch {
            throw .listener(error)
        }
        let process = try await ProcessParts(
            configuration, keySetsDirectory: keySetsDirectory,
            succession: succession ?? Succession(restarts: 0, hasPredecessor: false), droppedLogLines, logger: logger)
        let listeners = try ServedListeners.listeners(process.certificates.listeners, sockets)
        return try await Generation.prepare(configuration, after: nil, in: process) { first throws(StartFailure) in
            await process.certificates.take(first.parties)
            let proxy = try first.proxyConfiguration()
            let accessLog = try StartFailure.ofAccessLog {
                try AccessLog(AccessLog.Destination(configuration.accessLog.destination), logger: logger)
            }
            let names = KeptNames(directory: configuration.stateDirectory, descriptor: namesDescriptor, logger: logger)
            let restored = await names.restored()
            let gateway = Gateway(
                proxy, eventLoops: configuration.eventLoops ?? System.coreCount, listeners: listeners,
                accessLog: accessLog, spans: process.telemetry.spans, restoring: restored.names, at: restored.uptime,
                logger: logger)
            let running = RunningGateway(
                first, process, gateway, accessLog, names, addresses: sockets.map(\.address))
            do throws(StartFailure) {
                try await running.begin()
            } catch {
                await running.administration.stop()
                throw error
            }
            return running
        }
    }

    private init(
        _ first: Generation, _ process: ProcessParts, _ gateway: Gateway, _ accessLog: AccessLog, _ names: KeptNames,
        addresses: [String]
    ) {
        current = first
        current.parties = []
        (self.process, self.gateway, self.accessLog, self.names) = (process, gateway, accessLog, names)
        self.addresses = addresses
        shadow = RunningShadow(beside: current, gateway, process)
        administration = GatewayAdministration(
            of: current, gateway, shadow, process, accessLog, addresses: addresses)
    }

    private func begin() async throws(StartFailure) {
        if !process.succession.hasPredecessor {
            try await administration.bind()
            try await accept()
        }
        await process.telemetry.exportMetrics { [administration] in await administration.metrics() }
        await process.telemetry.take(current.configuration.telemetry)
        certificateWatch = Task { [process] in await process.certificates.run() }
        namesWatch = Task { [names, gateway] in await names.run(gateway) }
        await process.denials.whenChanged { [gateway] in await gateway.denialsChanged() }
        denialWatch = Task { [process] in await process.denials.run() }
        denialExchange = Task { [process] in await process.denials.runWithPeers() }
        Task { await administration.becomeReady() }
        guard current.configuration.admin != nil else { return }
        trafficWatch = Task { [administration] in await administration.sampleTraffic() }
    }

    /// Starts to accept connections.
    ///
    /// A process first waits until its predecessor has stopped accepting: two processes that wait on one socket wake
    /// each other for nothing.
    ///
    /// - Parameter isPredecessorSilent: whether the predecessor has not reported that it stopped. It may be hung, and
    ///   may complete what it had begun at any time.
    public func accept(isPredecessorSilent: Bool = false) async throws(StartFailure) {
        guard acceptance == nil, !isLeaving else { return }
        let acceptance = Task { await beginAccepting(isPredecessorSilent: isPredecessorSilent) }
        self.acceptance = acceptance
        if let failure = await acceptance.value { throw failure }
    }

    private func beginAccepting(isPredecessorSilent: Bool) async -> StartFailure? {
        if process.succession.hasPredecessor { Task { await administration.bindOnceFree() } }
        // The predecessor may have received further entries since this process started.
        await process.denials.takeOver(isPredecessorSilent: isPredecessorSilent)
        guard !isLeaving else { return nil }
        do {
            try await gateway.start()
            return nil
        } catch {
            return .gateway(PlainReason.of(error))
        }
    }

    // MARK: Reload

    /// Puts a new configuration in force, completely or not at all. Requests in progress keep the one that they began
    /// with.
    ///
    /// Key sets that both configurations name are kept. The keys of a new issuer are awaited for a few seconds and may
    /// fail.
    public func reload(to new: Configuration) async throws(ReloadFailure) {
        let predecessor = current
        let fixed = new.restartOnlyChanges(from: predecessor.configuration)
        guard fixed.isEmpty else { throw .needsRestart(fixed) }
        do {
            try await Generation.prepare(new, after: predecessor, in: process) { next throws(StartFailure) in
                let proxy = try next.proxyConfiguration()
                guard !isLeaving else { throw .draining }
                try StartFailure.ofAccessLog {
                    try accessLog.redirect(to: AccessLog.Destination(new.accessLog.destination))
                }
                await put(next, proxy, after: predecessor)
            }
        } catch {
            throw .refused(error)
        }
    }

    /// Puts a generation in force. Nothing here can fail.
    private func put(_ next: Generation, _ proxy: ProxyConfiguration, after predecessor: Generation) async {
        current = next
        current.parties = []
        await administration.take(current)
        await process.denials.take(DenialSettings(next.configuration), next.denials.list)
        await gateway.reload(proxy)
        await gateway.denialsChanged()
        next.quotas?.table.setLimit(next.configuration.limits.quotaKeys)
        process.keyTables.setLimit(next.configuration.ecdsaTables)
        await process.certificates.take(next.parties)
        await process.telemetry.take(next.configuration.telemetry)
        await predecessor.release(keptBy: next)
        await shadow.take(current)
    }

    /// Opens the access log file again by its name, after the old one was renamed.
    public func reopenAccessLog() {
        accessLog.reopen()
    }

    // MARK: End

    /// Leaves the sockets to a successor: accepts no more connections, and releases the admin address.
    public func handOver() async {
        await leave()
        await gateway.stopAccepting()
        await administration.stop()
        trafficWatch?.cancel()
        namesWatch?.cancel()
        // Not awaited, since the disk may be slow.
        Task { [names, gateway] in await names.end(gateway) }
        denialWatch?.cancel()
        denialWatch = Task { [process] in await process.denials.runAsPredecessor() }
    }

    /// Accepts no more connections, lets requests finish up to the drain time, and stops.
    public func drain() async {
        await administration.drain()
        await leave()
        certificateWatch?.cancel()
        namesWatch?.cancel()
        await gateway.drain()
        denialWatch?.cancel()
        denialExchange?.cancel()
        trafficWatch?.cancel()
        await administration.stop()
        await current.release(keptBy: nil)
        await shadow.end()
        await process.telemetry.end()
    }

    /// Prevents a later start of accepting connections, and waits for a start in progress.
    private func leave() async {
        isLeaving = true
        acceptance?.cancel()
        _ = await acceptance?.value
    }
}

import Administration
import ConfigurationFile
import Denials
import DenyLists
import JOSE
import KeySetFetching
import KeySets
import KnownTokens
import Logging
import NIOCore
import OperationalLog
import ProxySettings
import Quotas
import RequestAuthorization
import ReverseProxy
import SharedQuotas
import TokenVerification
import TransportSecurity

/// A gateway at work: one configuration, its key sets, its listeners and its admin address, put together.
///
/// The only module that knows all others; it decides nothing about requests.
public actor RunningGateway {
    /// The addresses of the listeners, with the actual ports.
    public nonisolated let addresses: [String]
    private let gateway: Gateway
    private let accessLog: AccessLog
    private let succession: Succession
    private let droppedLogLines: @Sendable () -> UInt64
    private let logger: Logger
    private var configuration: Configuration
    private var contacts: IssuerContacts
    private let certificates: CertificateWatch
    private var certificateWatch: Task<Void, Never>?
    /// One for the life of the process, so that answers about opaque tokens outlive a reload.
    private let digestKey: TokenDigestKey
    /// The cache of verified tokens, valid for the present file.
    private var cache: VerifiedTokenCache?
    private var quotas: QuotaCounting
    private let denials: DenialRegister
    private let names: KeptNames
    private var namesWatch: Task<Void, Never>?
    private var denialWatch: Task<Void, Never>?
    private var denialExchange: Task<Void, Never>?
    private var generation = 1
    private var loadedAt = Moment.now.date
    private var lastError: String?
    private var shadow: RunningShadow?
    private var shadowFile: ShadowFileState?
    /// The end of what has been done with the shadow so far.
    private var shadowTurn: Task<Void, Never>?

    /// The beginning of accepting connections, which happens once.
    private var acceptance: Task<StartFailure?, Never>?
    /// It has been told to leave, and takes nothing over any more.
    private var isLeaving = false
    private var phase = Readiness.Phase.starting
    private var readinessOutlivesReload = false
    private var admin: AdminServer?
    private var reloads = ReloadCounts()
    /// Hits and misses of earlier caches; a reload that changes something begins a new cache.
    private var retiredCaches = TokenCacheStatistics()

    /// How long the first key sets are waited for before the process counts as started.
    private static let startLimit: Duration = .seconds(6)
    /// How often a successor tries to bind the admin address, and how many failures it does not log: ten seconds.
    private static let adminInterval: Duration = .milliseconds(50)
    /// How often a gateway that was not ready once it had started looks whether it is.
    private static let readinessInterval: Duration = .milliseconds(500)
    private static let patientAdminAttempts = 200
    /// How long a reload waits for the keys of a new issuer.
    private static let reloadLimit: Duration = .seconds(5)

    /// Binds or adopts the sockets, starts the key sets, and serves. Requests are taken at once; those that need a key
    /// set which is still being fetched wait for it.
    ///
    /// - Parameters:
    ///   - environment: looked at for sockets handed over (`LISTEN_FDS`).
    ///   - keySetsDirectory: where key sets are saved if the file does not say where; nil: nowhere.
    ///   - namesDescriptor: of the file where addresses of upstreams' names are saved if there is no state directory;
    ///     nil: nowhere.
    ///   - succession: the predecessor of this process; nil: there is no supervisor.
    ///   - droppedLogLines: how many lines of the operational log were lost; asked at every `/metrics`.
    public static func start(
        _ configuration: Configuration, environment: [String: String] = [:], keySetsDirectory: String? = nil,
        namesDescriptor: CInt? = nil,
        succession: Succession? = nil, droppedLogLines: @escaping @Sendable () -> UInt64 = { 0 }, logger: Logger
    ) async throws(StartFailure) -> RunningGateway {
        let sockets: [ListeningSocket]
        do {
            sockets = try ListeningSocket.adopted(
                from: environment, orBinding: configuration.listenersAndDoors.map(\.address.text))
        } catch {
            throw .listener(error)
        }
        let certificates: CertificateWatch
        do {
            certificates = try await CertificateWatch(
                configuration.listenersAndDoors, now: { Moment.now.date }, logger: logger)
        } catch {
            throw .certificates("\(error)")
        }
        let listeners = try ServedListeners.listeners(certificates.listeners, sockets)
        guard let digestKey = TokenDigestKey() else { throw .gateway("the cryptographic library made no secret") }
        let directory = (configuration.stateDirectory ?? keySetsDirectory).map { KeySetDirectory(path: $0) }
        let contacts = IssuerContacts(configuration.issuers, directory: directory, logger: logger)
        let cache = Self.cache(for: configuration)
        let upstreams: [SecuredUpstream]
        do {
            upstreams = try await SecuredUpstream.all(of: configuration)
        } catch {
            throw .certificates("\(error)")
        }
        await certificates.watch(upstreams)
        let quotas = QuotaCounting(configuration, logger: logger)
        let denials = try await DenialRegister(configuration, logger: logger)
        let asked = await denials.present
        let proxy = try proxyConfiguration(
            configuration, contacts, digestKey, cache, quotas, asked, upstreams, generation: 1)
        let accessLog: AccessLog
        do {
            accessLog = try AccessLog(AccessLog.Destination(configuration.accessLog), logger: logger)
        } catch {
            throw .accessLog("\(error)")
        }
        let eventLoops = configuration.eventLoops ?? System.coreCount
        let names = KeptNames(directory: configuration.stateDirectory, descriptor: namesDescriptor, logger: logger)
        let restored = await names.restored()
        let gateway = Gateway(
            proxy, eventLoops: eventLoops, listeners: listeners, accessLog: accessLog, restoring: restored.names,
            at: restored.uptime,
            logger: logger)
        let running = RunningGateway(
            gateway: gateway, accessLog: accessLog, configuration: configuration, contacts: contacts,
            digestKey: digestKey, cache: cache,
            quotas: quotas, denials: denials, names: names, certificates: certificates, sockets: sockets,
            succession: succession ?? Succession(restarts: 0, hasPredecessor: false),
            droppedLogLines: droppedLogLines, logger: logger,
        )
        try await running.begin()
        return running
    }

    private init(
        gateway: Gateway, accessLog: AccessLog, configuration: Configuration, contacts: IssuerContacts,
        digestKey: TokenDigestKey,
        cache: VerifiedTokenCache?, quotas: QuotaCounting, denials: DenialRegister, names: KeptNames,
        certificates: CertificateWatch,
        sockets: [ListeningSocket], succession: Succession,
        droppedLogLines: @escaping @Sendable () -> UInt64, logger: Logger
    ) {
        self.gateway = gateway
        self.accessLog = accessLog
        self.configuration = configuration
        self.contacts = contacts
        self.digestKey = digestKey
        self.cache = cache
        self.quotas = quotas
        self.denials = denials
        self.names = names
        self.certificates = certificates
        self.succession = succession
        self.droppedLogLines = droppedLogLines
        self.logger = logger
        addresses = sockets.map(\.address)
    }

    private func begin() async throws(StartFailure) {
        if !succession.hasPredecessor { try await bindAdmin() }
        await contacts.start()
        if !succession.hasPredecessor { try await accept() }
        certificateWatch = Task { [certificates] in await certificates.run() }
        namesWatch = Task { [names, gateway] in await names.run(gateway) }
        await denials.whenChanged { [gateway] in await gateway.denialsChanged() }
        denialWatch = Task { [denials] in await denials.run() }
        denialExchange = Task { [denials] in await denials.runWithPeers() }
        Task {
            await contacts.keySets.firstFetches(within: Self.startLimit)
            await becomeReady()
        }
    }

    /// Begins to accept connections; a process first waits until its predecessor has stopped accepting, because two
    /// that wait on one socket wake each other for nothing.
    ///
    /// - Parameter isPredecessorSilent: whether the predecessor has not said that it stopped. It may be stuck, and
    ///   finish what it had begun at any time.
    public func accept(isPredecessorSilent: Bool = false) async throws(StartFailure) {
        guard acceptance == nil, !isLeaving else { return }
        let acceptance = Task { await beginAccepting(isPredecessorSilent: isPredecessorSilent) }
        self.acceptance = acceptance
        if let failure = await acceptance.value { throw failure }
    }

    private func beginAccepting(isPredecessorSilent: Bool) async -> StartFailure? {
        if succession.hasPredecessor { bindAdminOnceFree() }
        // A predecessor may have been told of more since this process began.
        await denials.takeOver(isPredecessorSilent: isPredecessorSilent)
        guard !isLeaving else { return nil }
        do {
            try await gateway.start()
            return nil
        } catch {
            return .gateway(PlainReason.of(error))
        }
    }

    /// Begins no acceptance from now on, and waits for one that is under way.
    private func leave() async {
        isLeaving = true
        acceptance?.cancel()
        _ = await acceptance?.value
    }

    /// Counts as started, and tells when `/readyz` answers 200; if that is not at once, also what it waits for.
    private func becomeReady() async {
        if phase == .starting { phase = .running }
        if let obstacle = await readiness().obstacle, phase != .draining {
            logger.warning("Not ready: /readyz answers 503", [.addresses: .list(addresses), .cause: .text(obstacle)])
        }
        while phase != .draining {
            guard await readiness().isReady else {
                try? await Task.sleep(for: Self.readinessInterval)
                continue
            }
            return logger.notice("Ready", [.addresses: .list(addresses)])
        }
    }

    /// A predecessor that is stuck, or was killed just now, may still have the address.
    private func bindAdminOnceFree() {
        Task {
            var attempts = 0
            while admin == nil, !isLeaving {
                do {
                    try await bindAdmin()
                    if isLeaving { await stopAdmin() }
                    if let admin { logger.notice("Administration", [.address: .text(admin.address)]) }
                    return
                } catch {
                    attempts += 1
                    if attempts == Self.patientAdminAttempts {
                        logger.warning("The admin address is not free yet; retrying", [.cause: "\(error)"])
                    }
                    try? await Task.sleep(for: Self.adminInterval)
                }
            }
        }
    }

    private func bindAdmin() async throws(StartFailure) {
        guard let address = configuration.admin else { return }
        let clients = AdminClients(configuration.adminClients)
        do {
            admin = try await AdminServer.start(
                host: address.host, port: address.port, permits: { clients.contains($0) },
                descriptorLimit: { ListeningSocket.descriptorLimit }, logger: logger,
                readiness: { [weak self] in await self?.readiness() ?? Readiness(phase: .draining, issuers: []) },
                metrics: { [weak self] in await self?.metrics() ?? [] },
                upstreams: { [weak self] in await self?.upstreams ?? [] },
                configuration: { [weak self] in await self?.configurationStatus },
                token: { [weak self] in await self?.configuration.adminToken },
                change: { [weak self] in await self?.change($0) ?? [] },
                denials: denials.service,
                refresh: { [weak self] in await self?.contacts.refresh(issuer: $0) },
            )
        } catch {
            throw .admin(address: address.text, PlainReason.of(error))
        }
    }

    /// Where the admin listener is; nil without one.
    public var adminAddress: String? { admin?.address }

    /// The phase, or what keeps a running gateway from being ready at present.
    private var reportedPhase: Readiness.Phase {
        guard phase == .running else { return phase }
        if gateway.isShortOfMemory { return .shortOfMemory }
        return NumericDate.plausible.contains(Moment.now.date) ? .running : .wrongClock
    }

    /// What `/readyz` says now.
    public func readiness() async -> Readiness {
        let issuers = await contacts.statuses().map { issuer in
            Readiness.Issuer(
                name: issuer.issuer, keySets: issuer.keySets.map(Readiness.KeySet.init),
                introspection: issuer.introspection.map(Readiness.Introspection.init))
        }
        let readiness = Readiness(
            phase: reportedPhase, issuers: issuers, denials: await denials.sharing,
            outlivesReload: readinessOutlivesReload)
        if readiness.hasKeys { readinessOutlivesReload = false }
        return readiness
    }

    private func stopAdmin() async {
        await admin?.stop()
        admin = nil
    }

    // MARK: Reload and end

    /// Puts a new configuration in place, wholly or not at all; requests under way finish with the one they began with.
    ///
    /// Key sets of sources that both name live on. The keys of a new issuer are awaited for a few seconds and may fail.
    public func reload(to new: Configuration) async throws(ReloadFailure) {
        let fixed = new.restartOnlyChanges(from: configuration)
        guard fixed.isEmpty else { throw .needsRestart(fixed) }
        let loadedCertificates: [CertificateWatch.LoadedListener]
        let upstreams: [SecuredUpstream]
        do {
            loadedCertificates = try await certificates.loadedListeners()
            upstreams = try await SecuredUpstream.all(of: new)
        } catch {
            throw .refused(.certificates("\(error)"))
        }
        let successor = await contacts.updated(to: new.issuers)
        await successor.keySets.firstFetches(within: Self.reloadLimit)
        // The file decides what a token grants, so cached results last only as long as the file has the same content.
        let newCache = new.saysTheSame(as: configuration) ? cache : Self.cache(for: new)
        let counting = QuotaCounting(new, after: quotas, logger: logger)
        let asked = await denials.next(DenialSettings(new))
        let proxy: ProxyConfiguration
        do {
            proxy = try Self.proxyConfiguration(
                new, successor, digestKey, newCache, counting, asked, upstreams, generation: generation + 1)
        } catch {
            counting.stop(keptBy: quotas)
            await successor.stopUnused(keptBy: contacts)
            throw .refused(error)
        }
        guard phase != .draining else {
            counting.stop(keptBy: quotas)
            await successor.stopUnused(keptBy: contacts)
            throw .draining
        }
        do {
            try accessLog.redirect(to: AccessLog.Destination(new.accessLog))
        } catch {
            counting.stop(keptBy: quotas)
            await successor.stopUnused(keptBy: contacts)
            throw .refused(.accessLog("\(error)"))
        }
        readinessOutlivesReload = await readiness().isReady
        let predecessor = contacts
        if let cache, cache !== newCache { retiredCaches = retiredCaches + cache.statistics }
        reloads.succeeded += 1
        (loadedAt, lastError) = (Moment.now.date, nil)
        (configuration, contacts, cache, generation) = (new, successor, newCache, generation + 1)
        await denials.take(DenialSettings(new), asked.list)
        await gateway.reload(proxy)
        await gateway.denialsChanged()
        quotas.stop(keptBy: counting)
        quotas = counting
        quotas.table.setLimit(new.limits.quotaKeys)
        await certificates.take(loadedCertificates)
        await certificates.watch(upstreams)
        await predecessor.stopUnused(keptBy: successor)
        // What it is compared with has changed; nobody waits for that.
        Task { await inShadowTurn { if let shadow = $0.shadow { await $0.place(shadow.configuration) } } }
    }

    /// Notes that a new configuration was not put in place.
    public func reloadRefused(_ cause: String) {
        reloads.refused += 1
        lastError = cause
    }

    // MARK: The shadow

    /// Has every request compared with what another configuration would make of it, from now on. That delays and
    /// changes nothing.
    public func putShadow(_ new: Configuration) async {
        await inShadowTurn { running in
            guard await running.place(new) else { return running.noteShadowFailure("an issuer has no key set") }
            running.shadowFile = (running.shadowFile ?? ShadowFileState()).loaded(at: Moment.now.date)
        }
    }

    /// Notes that the file of `--shadow` could not be used; the last good one stays, if there is one.
    public func shadowRefused(_ cause: String) {
        noteShadowFailure(cause)
    }

    private func noteShadowFailure(_ cause: String) {
        shadowFile = (shadowFile ?? ShadowFileState()).refused(cause)
    }

    /// One after the other: each is built beside what is in force by then.
    private func inShadowTurn(_ work: @escaping @Sendable (isolated RunningGateway) async -> Void) async {
        let before = shadowTurn
        let task = Task {
            await before?.value
            await work(self)
        }
        shadowTurn = task
        await task.value
    }

    @discardableResult
    private func place(_ new: Configuration) async -> Bool {
        // A reload is being handed to the event loops: soon all of it is in force.
        while gateway.configuration.generation != generation, phase != .draining {
            try? await Task.sleep(for: .milliseconds(10))
        }
        guard phase != .draining else { return false }
        let authorizer = gateway.configuration.authorizer
        let inForce = RunningShadow.InForce(
            configuration: configuration, contacts: contacts, authorizer: authorizer,
            denials: authorizer.denyList, generation: generation, digestKey: digestKey)
        let predecessor = shadow
        guard let successor = await RunningShadow.make(new, beside: inForce, after: predecessor) else { return false }
        shadow = successor
        await gateway.put(successor.policy)
        await predecessor?.keySets.stopUnused(keptBy: successor.keySets)
        if phase == .draining { await successor.keySets.stop() }
        return true
    }

    /// What `/api/configuration` says now.
    private var configurationStatus: ConfigurationStatus {
        ConfigurationStatus(
            inForce: ConfigurationStatus.File(generation: generation, loadedAt: loadedAt, lastError: lastError),
            shadow: shadowFile.map {
                ConfigurationStatus.File(
                    generation: $0.loads.succeeded, loadedAt: $0.loadedAt, lastError: $0.lastError)
            })
    }

    /// What `/api/upstreams` says now.
    private var upstreams: [UpstreamStatus] { gateway.upstreams.map(UpstreamStatus.init) }

    /// Takes a target out, or brings it back.
    private func change(_ asked: TargetChange) -> [UpstreamStatus] {
        gateway.drain(asked.target, of: asked.resource, below: asked.path, asked.isDrained).map(UpstreamStatus.init)
    }

    /// What `/metrics` says now.
    func metrics() async -> [MetricFamily] {
        let figures = GatewayFigures(
            gateway: gateway.metrics, targets: gateway.upstreams, issuers: await readiness().issuers,
            isReady: await readiness().isReady,
            identities: certificates.identities, cache: cache?.statistics,
            retiredCaches: retiredCaches, reloads: reloads, generation: generation,
            observedRules: configuration.observedRuleCount(at: Moment.now.date),
            shadow: shadowFile.map { (shadow != nil, $0.loads) }, restarts: succession.restarts,
            droppedLines: (accessLog.droppedLines, droppedLogLines()), quotaCallers: quotas.table.count,
            store: quotas.store?.figures,
            denials: await denials.figures,
            process: ProcessStatistics())
        return figures.families
    }

    /// Begins a new access log file under the same name, after the old one was moved away.
    public func reopenAccessLog() {
        accessLog.reopen()
    }

    /// Leaves the sockets to a successor: takes no more connections, and releases the admin address.
    public func handOver() async {
        await leave()
        await gateway.stopAccepting()
        await stopAdmin()
        namesWatch?.cancel()
        // Nobody waits for the disk.
        Task { [names, gateway] in await names.end(gateway) }
        denialWatch?.cancel()
        denialWatch = Task { [denials] in await denials.runAsPredecessor() }
    }

    /// Takes no more connections, lets requests finish up to the drain time, and ends.
    public func drain() async {
        phase = .draining
        await leave()
        certificateWatch?.cancel()
        namesWatch?.cancel()
        await gateway.drain()
        denialWatch?.cancel()
        denialExchange?.cancel()
        await stopAdmin()
        await contacts.stop()
        await shadow?.keySets.stop()
        quotas.stop(keptBy: nil)
    }
}

extension RunningGateway {
    private static func cache(for configuration: Configuration) -> VerifiedTokenCache? {
        configuration.tokenCache > 0 ? VerifiedTokenCache(byteLimit: configuration.tokenCache) : nil
    }

    private static func proxyConfiguration(
        _ configuration: Configuration, _ contacts: IssuerContacts, _ digestKey: TokenDigestKey,
        _ cache: VerifiedTokenCache?,
        _ quotas: QuotaCounting, _ denials: AskedDenials, _ upstreams: [SecuredUpstream], generation: Int
    ) throws(StartFailure) -> ProxyConfiguration {
        guard let issuers = contacts.issuerKeys else { throw .gateway("an issuer has no key set") }
        // Under a secret of its own, a process would share nothing.
        guard configuration.sharedState == nil || quotas.secret != nil else {
            throw .gateway("the cryptographic library made no secret")
        }
        let authorizer: RequestAuthorizer
        do {
            authorizer = try RequestAuthorizer(
                resources: configuration.protectedResources, issuers: issuers, digestKey: digestKey, cache: cache,
                callerSecret: quotas.secret,
                accounting: quotas.accounting, denials: denials.judgesRequests ? denials.list : nil,
                streamDenials: denials.list)
        } catch {
            throw .gateway("two resources are at the same place")
        }
        return ProxyConfiguration(
            generation: generation, authorizer: authorizer, upstreams: configuration.upstreams,
            upstreamTLS: Dictionary(upstreams.map { ($0.settings, $0.tls) }, uniquingKeysWith: { first, _ in first }),
            limits: configuration.limits,
            timeouts: configuration.timeouts, trustedProxies: configuration.trustedProxies,
            redaction: configuration.redaction,
            askSharedQuotas: quotas.ask, answerWait: { wait in await contacts.answer(wait) },
        )
    }
}

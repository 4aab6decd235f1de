import Administration
import ConfigurationFile
import Denials
import KeySetFetching
import KeySets
import KnownTokens
import Logging
import MetricFamilies
import OperationalLog
import Quotas
import ReverseProxy
import SharedQuotas
import TokenIntrospection
import TokenVerification
import TransportSecurity

// The admin listener: when its address is bound, and what it shows.

extension RunningGateway {
    /// How often a successor tries to bind the admin address, and how many failures it does not log: ten seconds.
    private static let adminInterval: Duration = .milliseconds(50)
    private static let patientAdminAttempts = 200
    /// How often a gateway that was not ready once it had started looks whether it is.
    private static let readinessInterval: Duration = .milliseconds(500)

    /// The address of the admin listener; nil without one.
    public var adminAddress: String? { admin?.address }

    /// Binds the admin address, if the file has one.
    func bindAdmin() async throws(StartFailure) {
        guard let address = current.configuration.admin else { return }
        let clients = AdminClients(current.configuration.adminClients)
        do {
            admin = try await AdminServer.start(
                host: address.host, port: address.port, permits: { clients.contains($0) },
                descriptorLimit: { ListeningSocket.descriptorLimit }, logger: process.logger,
                readiness: { [weak self] in await self?.readiness() ?? Readiness(phase: .draining, issuers: []) },
                metrics: { [weak self] in await self?.metrics() ?? [] },
                upstreams: { [weak self] in await self?.upstreams ?? [] },
                configuration: { [weak self] in await self?.configurationStatus },
                token: { [weak self] in await self?.current.configuration.adminToken },
                change: { [weak self] in await self?.change($0) ?? [] },
                denials: process.denials.service,
                refresh: { [weak self] in await self?.current.contacts.refresh(issuer: $0) },
            )
        } catch {
            throw .admin(address: address.text, PlainReason.of(error))
        }
    }

    /// Binds the admin address once it is free: a predecessor that is stuck, or was killed just now, may still have it.
    func bindAdminOnceFree() async {
        var attempts = 0
        while admin == nil, !isLeaving {
            do {
                try await bindAdmin()
                if isLeaving { await stopAdmin() }
                if let admin { process.logger.notice("Administration", [.address: .text(admin.address)]) }
                return
            } catch {
                attempts += 1
                if attempts == Self.patientAdminAttempts {
                    process.logger.warning("The admin address is not free yet; retrying", [.cause: "\(error)"])
                }
                try? await Task.sleep(for: Self.adminInterval)
            }
        }
    }

    func stopAdmin() async {
        await admin?.stop()
        admin = nil
    }

    // MARK: Readiness

    /// Answer to `/readyz`.
    public func readiness() async -> Readiness {
        let (issuers, denials) = (await current.contacts.statuses(), await process.denials.sharing)
        let readiness = Readiness(
            phase: reportedPhase, issuers: issuers, denials: denials, outlivesReload: readinessOutlivesReload)
        if readiness.hasKeys { readinessOutlivesReload = false }
        return readiness
    }

    /// The phase, or what keeps a running gateway from being ready at present.
    private var reportedPhase: Readiness.Phase {
        guard phase == .running else { return phase }
        if gateway.isShortOfMemory { return .shortOfMemory }
        return NumericDate.plausible.contains(Moment.now.date) ? .running : .wrongClock
    }

    /// Counts as started, and tells when `/readyz` answers 200; if that is not at once, also what it waits for.
    func becomeReady() async {
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

    /// Answer to `/metrics`.
    func metrics() async -> [MetricFamily] {
        let readiness = await readiness()
        let parts = [
            gateway.trafficFamilies(at: Moment.now.date), shadow.families,
            gateway.requestFamilies(isShadowed: shadow.file != nil),
            [TLSIdentity.family(of: process.certificates.identities)],
            KeySetStatus.families(of: readiness.issuers.map { ($0.name, $0.keySets) }),
            IntrospectionStatus.families(of: readiness.issuers.compactMap(\.introspection)),
            TokenCacheStatistics.families(of: current.cache?.statistics, after: retiredCaches),
            current.quotas.map { [$0.table.family] } ?? [],
            StoreFigures.families(of: current.quotas?.store?.figures),
            DenialFigures.families(of: await process.denials.figures),
            file.counts.families(isReady: readiness.isReady, generation: current.number, restarts: succession.restarts),
            accessLog.families(logLines: droppedLogLines()), ProcessStatistics()?.families ?? [],
        ]
        return parts.flatMap(\.self)
    }

    /// Answer to `/api/configuration`.
    private var configurationStatus: ConfigurationStatus {
        ConfigurationStatus(
            inForce: file.status(generation: current.number),
            shadow: shadow.file.map { $0.status(generation: $0.counts.succeeded) })
    }

    /// Answer to `/api/upstreams`.
    private var upstreams: [UpstreamStatus] { gateway.upstreams.map(UpstreamStatus.init) }

    /// Takes a target out, or brings it back.
    private func change(_ asked: TargetChange) -> [UpstreamStatus] {
        gateway.drain(asked.target, of: asked.resource, below: asked.path, asked.isDrained).map(UpstreamStatus.init)
    }
}

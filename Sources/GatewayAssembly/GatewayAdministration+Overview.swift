import Administration
import ConfigurationFile
import Denials
import KeySetFetching
import KeySets
import KnownTokens
import OperatorConsole
import ReverseProxy
import TokenVerification

/// Data of the operators' page.
extension GatewayAdministration {
    /// Takes a sample of the traffic every few seconds, until the task is cancelled.
    func sampleTraffic() async {
        repeat {
            traffic.add(TrafficTotals(of: gateway), at: .now)
        } while (try? await Task.sleep(for: TrafficHistory.interval)) != nil
    }

    /// Answer to `/api/overview`. Made at most once a second, however many pages are open.
    func overview() async -> Overview {
        if let shown, ContinuousClock.now - shown.madeAt < Self.overviewLife { return shown.overview }
        let overview = await makeOverview()
        shown = (overview, .now)
        return overview
    }

    private static let overviewLife: Duration = .seconds(1)

    private func makeOverview() async -> Overview {
        let (readiness, shadowLoads, now) = (await readiness(), await shadow.loads, Moment.now.date)
        let (report, signers) = (gateway.traffic, await gateway.signers()?.callers ?? [])
        return Overview(
            time: now, process: processState(readiness), file: fileState,
            shadow: shadowLoads.map { shadowState($0) }, traffic: traffic,
            issuers: readiness.issuers.map { IssuerState($0, signers: signers) },
            upstreams: gateway.upstreams.map { UpstreamStatus($0) }, rules: RuleTable(report),
            refusals: report.reasons.map { ReasonCount($0) }, soon: await comingEvents(readiness, at: now))
    }

    private func processState(_ readiness: Readiness) -> ProcessState {
        let cache = cacheStatistics
        return ProcessState(
            version: Version.number, node: process.node, uptime: .now - startedAt,
            phase: readiness.phase.rawValue, obstacle: readiness.obstacle,
            requestsInFlight: gateway.requestsInFlight, connections: gateway.openConnections,
            cacheHits: cache.hits, cacheMisses: cache.misses)
    }

    private var fileState: FileState {
        FileState(
            generation: current.number, loadedAt: file.loadedAt, digest: current.configuration.fileDigest,
            lastError: file.lastError)
    }

    private func shadowState(_ loads: FileLoads) -> ShadowState {
        let results = gateway.shadowResults
        return ShadowState(
            generation: loads.counts.succeeded, lastError: loads.lastError, same: results.same,
            different: results.different, unknown: results.unknown)
    }

    private func comingEvents(_ readiness: Readiness, at now: NumericDate) async -> ComingEvents {
        let certificates = process.certificates.identities.map { ComingEvents.Event($0) }
        let rules = gateway.observedRules(at: now).map {
            ComingEvents.Event(.ruleEnforces, name: "\($0.resource) \($0.rule)", at: $0.until)
        }
        let denials = await process.denials.endings(before: now + ComingEvents.horizon).map {
            ComingEvents.Event(.denialsEnd, count: $0.count, at: $0.first)
        }
        let keySets = readiness.issuers.flatMap { issuer in
            issuer.keySets.compactMap { ComingEvents.Event($0, of: issuer.name) }
        }
        return ComingEvents(certificates + rules + [denials].compactMap(\.self) + keySets, at: now)
    }
}

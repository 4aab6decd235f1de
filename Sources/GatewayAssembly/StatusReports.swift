import Administration
import ConfigurationFile
import JOSE
import KeySetFetching
import KeySets
import NetworkNames
import ReverseProxy
import TokenIntrospection

// What the admin listener and the access log are told, from what the parts of the gateway say of themselves.

extension Readiness.KeySet {
    init(_ status: KeySetStatus) {
        self.init(
            source: status.source.description, isUsable: !status.isTooStale, keyCount: status.usableKeyCount,
            skippedKeys: status.skippedKeys.map(\.description), lastSuccess: status.lastSuccess, age: status.age,
            isFromDisk: status.restoredFromDisk, lastFailure: status.lastFailure?.description,
            nextFetch: status.nextFetch,
            keysAdded: status.counters.keysAdded, keysRemoved: status.counters.keysRemoved,
            fetches: status.counters.fetches,
            fetchFailures: status.counters.fetchFailures,
        )
    }
}

extension Readiness.Introspection {
    init(_ status: IntrospectionStatus) {
        self.init(
            endpoint: status.endpoint?.text, isPaused: status.isPaused, nextRequest: status.nextQuestion,
            lastSuccess: status.lastSuccess,
            lastFailure: status.lastFailure?.description, requestsInFlight: status.questionsUnderWay,
            waiting: status.requestsWaiting,
            cacheEntries: status.keptAnswers, answered: status.counters.answered, failed: status.counters.failures,
            turnedAway: status.counters.turnedAway, cacheHits: status.cacheHits, cacheMisses: status.cacheMisses,
        )
    }
}

extension AccessLog.Destination {
    init(_ destination: AccessLogDestination) {
        self =
            switch destination {
            case .stdout: .standardOutput
            case .file(let path): .file(path: path)
            case .none: .none
            }
    }
}

extension UpstreamStatus {
    init(_ upstream: UpstreamReport) {
        self.init(
            resource: upstream.resource, path: upstream.path,
            targets: upstream.targets.map { target in
                Target(
                    name: target.name, isIn: target.isIn, since: target.since, cause: target.cause,
                    inFlight: target.inFlight,
                    latency: target.latency)
            }, waiting: upstream.waiting)
    }
}

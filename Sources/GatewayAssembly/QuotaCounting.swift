import ConfigurationFile
import JOSE
import Logging
import Logs
import ProxySettings
import Quotas
import RequestAuthorization
import ReverseProxy
import SharedState

/// Counting of requests for quotas: the gateway's own table, for the life of the process, and the store that the file
/// names.
struct QuotaCounting: Sendable {
    let table: QuotaTable
    /// The shared store. Nil if the process counts for itself.
    let store: SharedQuotas?
    private let settings: StoreSettings?
    /// Secret of the digests that distinguish callers. Nil for a secret of the process.
    let secret: TokenDigestKey?
    let accounting: QuotaAccounting

    /// - Parameter predecessor: whose table goes on, and whose store does, if the file names the same.
    init(_ configuration: Configuration, after predecessor: QuotaCounting?, logger: Logger) {
        let state = configuration.sharedState
        table = predecessor?.table ?? QuotaTable(limit: configuration.limits.quotaKeys)
        settings = state.map(StoreSettings.init)
        secret = state.flatMap { TokenDigestKey(derivedFrom: $0.secret) }
        accounting = if let state { .shared(table, processes: state.processes) } else { .local(table) }
        if let predecessor, predecessor.settings == settings {
            store = predecessor.store
        } else {
            store = state.flatMap { Self.store($0, logger) }
        }
    }

    private static func store(_ state: SharedState, _ logger: Logger) -> SharedQuotas? {
        SharedQuotas.start(StoreSettings(state)) { fault in
            if let fault {
                logger.warning(
                    "Shared state does not answer", [.address: .text(state.address), .cause: .text(fault.text)])
            } else {
                logger.notice("Shared state answers again", [.address: .text(state.address)])
            }
        }
    }

    /// Whether the library made no secret, although processes that share a store have to have the same.
    var lacksSecret: Bool { settings != nil && secret == nil }

    /// Asks the shared store. Nil if the table alone counts.
    var ask: ProxyConfiguration.AskSharedQuotas? {
        guard settings != nil else { return nil }
        return { [store] wait, completion in
            guard let store else { return completion(.unreachable) }
            store.charge(wait.charges) { verdict in completion(verdict.map { .verdict($0) } ?? .unreachable) }
        }
    }

    /// Ends the connection to a store that its successor does not use.
    func stop(keptBy successor: QuotaCounting?) {
        guard let store, successor?.store !== store else { return }
        store.stop()
    }
}

extension StoreSettings {
    init(_ state: SharedState) {
        self.init(
            host: state.host, port: state.port, database: state.database, user: state.user, password: state.password,
            secret: state.secret,
            timeout: state.timeout)
    }
}

import ConfigurationFile
import JOSE
import Logging
import Logs
import ProxySettings
import Quotas
import RequestAuthorization
import ReverseProxy
import SharedState

/// Counting of requests for quotas: the gateway's own table, which lives as long as the process, and the shared store
/// of the configuration.
struct QuotaCounting: Sendable {
    let table: QuotaTable
    /// The shared store. Nil if this process counts alone.
    let store: SharedQuotas?
    private let settings: StoreSettings?
    /// Secret of the digests that distinguish callers. Nil if a secret of this process suffices.
    let secret: TokenDigestKey?
    let accounting: QuotaAccounting

    /// Makes the counting of a configuration.
    ///
    /// - Parameter predecessor: counting of the previous configuration. Its table is kept; its store is kept if the
    ///   settings are the same. Nil for the first.
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

    /// Whether the cryptographic library failed to make the secret. Processes that share a store must have the same
    /// secret.
    var lacksSecret: Bool { settings != nil && secret == nil }

    /// Function that charges requests at the shared store. Nil if only the table counts.
    var ask: ProxyConfiguration.AskSharedQuotas? {
        guard settings != nil else { return nil }
        return { [store] wait, completion in
            guard let store else { return completion(.unreachable) }
            store.charge(wait.charges) { verdict in completion(verdict.map { .verdict($0) } ?? .unreachable) }
        }
    }

    /// Closes the connection to the store unless the successor uses it.
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

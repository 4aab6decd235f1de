import JOSE
import Logging
import Logs
import MetricFamilies

extension TableEvent {
    func log(to logger: Logger) {
        let facts: [LogMember: LogValue] = [.keyID: .text(keyID ?? ""), .cause: .text(cause)]
        switch self {
        case .noTables where meansFault:
            logger.error("Tables of a curve fail their self-test; libcrypto verifies its signatures", facts)
        case .noTables: logger.notice("Keys of a curve have no tables; libcrypto verifies their signatures", facts)
        case .notBuilt where meansFault:
            logger.error("A key's table is wrong; libcrypto verifies its signatures", facts)
        case .notBuilt: logger.warning("A key has no table; libcrypto verifies its signatures", facts)
        case .differs: logger.error("A table verified a signature wrongly; no table is used until a restart", facts)
        }
    }
}

extension KeyTablesStatus {
    var families: [MetricFamily] {
        [
            .gauge("bearward_ecdsa_tables", "EC keys that have a table.", tables),
            .gauge("bearward_ecdsa_table_bytes", "Memory of the tables of EC keys, in bytes.", bytes),
            .counter(
                "bearward_ecdsa_table_verifications_total", "Signatures that a table of their key verified.",
                verifications),
            .counter(
                "bearward_ecdsa_table_repetitions_total",
                "Verifications by a table that libcrypto repeated to compare them.", repetitions),
            .gauge(
                "bearward_ecdsa_tables_failed",
                "1 if a table's verdict differed from libcrypto's, so that no table is used until a restart.",
                difference == nil ? 0 : 1),
        ]
    }
}

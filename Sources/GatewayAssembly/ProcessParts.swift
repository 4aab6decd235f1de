import ConfigurationFile
import Denials
import JOSE
import KeySetFetching
import KeySets
import Logging
import TelemetryExport
import TokenVerification

/// Parts of a gateway that all its configurations share, for the life of the process.
struct ProcessParts: Sendable {
    let certificates: CertificateWatch
    /// Key of token digests. The same under every configuration, so that cached introspection results outlive a reload.
    let digestKey: TokenDigestKey
    let denials: DenialRegister
    /// Tables of the EC keys of all key sets.
    let keyTables: KeyTables
    /// An empty collection of key sets, from which the first is made. It determines where all save their key sets.
    let noKeySets: KeySetCollection
    let succession: Succession
    let telemetry: TelemetryExporter
    /// Name of the host.
    let node: String
    /// Returns the number of lost lines of the operational log.
    let droppedLogLines: @Sendable () -> UInt64
    let logger: Logger

    /// Makes the parts and reads the saved state.
    ///
    /// - Parameter keySetsDirectory: path of the directory for key sets if the file names none. Nil if key sets are not
    ///   saved then.
    init(
        _ configuration: Configuration, keySetsDirectory: String?, succession: Succession,
        _ droppedLogLines: @escaping @Sendable () -> UInt64, logger: Logger
    ) async throws(StartFailure) {
        (self.succession, self.droppedLogLines) = (succession, droppedLogLines)
        do {
            certificates = try await CertificateWatch(configuration.listenersAndDoors, logger: logger)
        } catch {
            throw .certificates("\(error)")
        }
        guard let digestKey = TokenDigestKey() else {
            throw .gateway("the cryptographic library could not generate a secret")
        }
        self.digestKey = digestKey
        denials = try await DenialRegister(configuration, logger: logger)
        let directory = (configuration.stateDirectory ?? keySetsDirectory).map { KeySetDirectory(path: $0) }
        keyTables = KeyTables(limit: configuration.ecdsaTables, logger: logger)
        noKeySets = KeySetCollection(directory: directory, tables: keyTables, logger: logger)
        let resource = TelemetryResource(version: Version.number, startedAt: Moment.now.nanoseconds)
        telemetry = TelemetryExporter(
            resource, proxies: .ofProcess, clock: { Moment.now.nanoseconds }, logger: logger)
        node = resource.host
        self.logger = logger
    }
}

extension Moment {
    /// Time since 1970, in nanoseconds.
    fileprivate var nanoseconds: UInt64 { UInt64(max(0, min(date.seconds, 0x1p32)) * 1e9) }
}

import AccessControl
import ConfigurationFile
import Denials
import Logging
import SharedState

extension DenialSettings {
    init(_ configuration: Configuration) {
        self.init(
            file: configuration.denyFile.map { ($0.path, $0.read(issuers:at:)) }, reading: configuration.denyReading,
            issuers: configuration.denyIssuers, stateDirectory: configuration.stateDirectory,
            isOpen: configuration.takesDenials, store: configuration.sharedState.map(StoreSettings.init))
    }
}

extension DenialRegister {
    /// Makes the register of the first configuration.
    init(_ configuration: Configuration, logger: Logger) async throws(StartFailure) {
        guard let digests = DenyDigests.process else {
            throw .gateway("the cryptographic library could not generate a secret")
        }
        do {
            try await self.init(DenialSettings(configuration), digests, logger: logger)
        } catch {
            throw .denials("\(error)")
        }
    }
}

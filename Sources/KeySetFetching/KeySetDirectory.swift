import KeySets
import Logging
import Logs
import Synchronization
import TokenVerification

/// Directory with the last valid key set of each source (`state_directory`), one file each.
///
/// A problem here never fails a request. A file that cannot be read counts as absent. A set that cannot be written is
/// fetched again after a restart. Each problem is logged as a warning. A file that another user could have written is
/// not used.
public final class KeySetDirectory: Sendable {
    private let directory: StateDirectory
    /// The last reported failure of the directory itself, so that it is reported once and not at every fetch.
    private let reported = Mutex<StateFileFailure?>(nil)
    /// Last failure to save each file. It ensures that a full disk is logged once, even if it affects many files and
    /// fetches.
    private let unsaved = Mutex<[String: StateFileFailure]>([:])

    /// Refers to a directory by its path, and does not access it yet. It is created when there is something to save,
    /// and only this user can access it.
    public init(path: String) {
        directory = StateDirectory(path: path)
    }

    public var path: String { directory.path }

    /// Name of the file for a configuration's key set. Nil for a source that is itself a file.
    private func fileName(for configuration: KeySetConfiguration) -> String? {
        configuration.source.filePath == nil ? configuration.identity.fileName : nil
    }

    /// Reads the saved key set of a configuration. Nil if there is no usable one.
    func saved(for configuration: KeySetConfiguration, at now: NumericDate, _ logger: Logger) async -> SavedKeySet? {
        guard let name = fileName(for: configuration), await isThere(logger) else { return nil }
        do {
            guard let bytes = try await directory.read(name, limit: SavedKeySet.byteLimit) else { return nil }
            return try SavedKeySet(parsing: bytes.span, for: configuration, at: now)
        } catch {
            logger.warning("Saved key set ignored", [.file: "\(path)/\(name)", .cause: "\(error)"])
            return nil
        }
    }

    /// Saves a key set, and replaces the one saved earlier for the same configuration.
    func save(_ saved: SavedKeySet, for configuration: KeySetConfiguration, _ logger: Logger) async {
        guard let name = fileName(for: configuration), await isMade(logger) else { return }
        do throws(StateFileFailure) {
            guard let text = saved.text(for: configuration) else { throw .tooLarge }
            try await directory.write(text, to: name)
            unsaved.withLock { $0[name] = nil }
        } catch {
            guard isNew(error, for: name) else { return }
            logger.warning("Key set could not be saved", [.file: "\(path)/\(name)", .cause: "\(error)"])
        }
    }

    /// True if a key set is saved for the configuration that can still verify tokens.
    func hasUsable(_ configuration: KeySetConfiguration, _ logger: Logger) async -> Bool {
        let now = Moment.now.date
        guard let saved = await saved(for: configuration, at: now, logger) else { return false }
        return !saved.snapshot(for: configuration, at: now).isTooStale(at: now)
    }

    /// Names of the realms that had a place. Empty if none were saved.
    func savedRealms(for configuration: RealmKeySetsConfiguration, _ logger: Logger) async -> [String] {
        guard let name = configuration.fileName, await isThere(logger) else { return [] }
        do throws(StateFileFailure) {
            guard let bytes = try await directory.read(name, limit: SavedRealms.byteLimit) else { return [] }
            return SavedRealms(parsing: bytes.span, for: configuration)?.names ?? []
        } catch {
            logger.warning("Saved realms ignored", [.file: "\(path)/\(name)", .cause: "\(error)"])
            return []
        }
    }

    /// Saves the names of realms, and replaces those saved earlier for the same issuer.
    func save(_ realms: SavedRealms, for configuration: RealmKeySetsConfiguration, _ logger: Logger) async {
        guard let name = configuration.fileName, await isMade(logger) else { return }
        do throws(StateFileFailure) {
            try await directory.write(realms.text(for: configuration), to: name)
            unsaved.withLock { $0[name] = nil }
        } catch {
            guard isNew(error, for: name) else { return }
            logger.warning("Realms could not be saved", [.file: "\(path)/\(name)", .cause: "\(error)"])
        }
    }

    /// Records why a file could not be saved. False if this failure was already logged, for this file or for another.
    private func isNew(_ failure: StateFileFailure, for name: String) -> Bool {
        unsaved.withLock { unsaved in
            defer { unsaved[name] = failure }
            return !unsaved.values.contains(failure)
        }
    }

    private func isThere(_ logger: Logger) async -> Bool {
        do throws(StateFileFailure) {
            let isThere = try await directory.exists()
            reported.withLock { $0 = nil }
            return isThere
        } catch {
            report(error, logger)
            return false
        }
    }

    private func isMade(_ logger: Logger) async -> Bool {
        do throws(StateFileFailure) {
            try await directory.create()
            reported.withLock { $0 = nil }
            return true
        } catch {
            report(error, logger)
            return false
        }
    }

    private func report(_ failure: StateFileFailure, _ logger: Logger) {
        let isNew = reported.withLock { reported in
            defer { reported = failure }
            return reported != failure
        }
        guard isNew else { return }
        logger.warning(
            "The state directory cannot be used; key sets are neither saved nor restored",
            [.directory: .text(path), .cause: "\(failure)"])
    }
}

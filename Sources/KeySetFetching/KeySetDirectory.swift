import KeySets
import Logging
import Logs
import Synchronization
import TokenVerification

/// The directory where the last good set of each source is kept (`state_directory`), one file each.
///
/// Nothing here fails a request: what cannot be read is as good as not there, what cannot be written is fetched anew
/// after a restart, and each is a warning. Nothing of a file is believed that another user could have written.
public final class KeySetDirectory: Sendable {
    private let directory: StateDirectory
    /// The last reported failure of the directory itself, so that it is reported once and not at every fetch.
    private let reported = Mutex<StateFileFailure?>(nil)
    /// Last cause why each file could not be saved. A full disk is one problem, whatever the number of files and
    /// fetches.
    private let unsaved = Mutex<[String: StateFileFailure]>([:])

    /// Looks at nothing yet; the directory is made, for this user alone, when there is something to save.
    public init(path: String) {
        directory = StateDirectory(path: path)
    }

    public var path: String { directory.path }

    /// The file of a configuration's key set; nil for a source that is a file itself.
    private func fileName(for configuration: KeySetConfiguration) -> String? {
        configuration.source.isRemote ? configuration.identity.fileName : nil
    }

    /// The saved key set of that configuration. Nil if there is none that can be used.
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

    /// Saves a set in place of what was saved for that configuration before.
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

    /// Notes why a file could not be saved; false: that was said already, of this file or of another.
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

extension KeySetSource {
    /// Whether it is fetched over the network; what is a file already is not saved in another.
    var isRemote: Bool {
        if case .file = self { false } else { true }
    }
}

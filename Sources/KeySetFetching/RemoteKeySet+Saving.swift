import JOSE
import KeySets
import Logging
import Logs
import TokenVerification

extension RemoteKeySet {
    /// Reads the saved key set, and starts the lifecycle with it. Requests that come meanwhile wait.
    func beginRestoring(from directory: KeySetDirectory) {
        perform(lifecycle.beginRestoring(at: .now))
        Task { [configuration, logger] in
            begin(restoring: await directory.saved(for: configuration, at: Moment.now.date, logger))
        }
    }

    private func begin(restoring saved: SavedKeySet?) {
        let now = Moment.now
        perform(lifecycle.start(restoring: saved, at: now, jitter: .jitter))
        releaseFirstFetchWaiters()
        guard lifecycle.isUnconfirmed, let saved else { return }
        logger.notice(
            "Key set restored from disk",
            [
                .keys: .number(lifecycle.snapshot.keys?.keys.count ?? 0),
                .age: .number(Int(max(0, now.date.seconds - saved.fetchedAt.seconds))),
                .tooStale: .flag(lifecycle.snapshot.isTooStale(at: now.date)),
            ])
    }

    /// Saves the last valid answer. During a write only the newest set waits, and sets in between are never written.
    func save() {
        guard let directory, let saved = lifecycle.saved else { return }
        unsaved = saved
        guard saving == nil else { return }
        saving = Task { [configuration, logger] in
            while let next = unsaved {
                unsaved = nil
                await directory.save(next, for: configuration, logger)
            }
            saving = nil
        }
    }
}

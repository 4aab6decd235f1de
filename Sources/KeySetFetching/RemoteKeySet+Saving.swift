import JOSE
import KeySets
import Logging
import Logs
import TokenVerification

extension RemoteKeySet {
    /// Reads what was saved, and begins with it; requests that come meanwhile wait for it.
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

    /// Saves what the last good answer left; while a write is under way the newest waits, and those in between are
    /// never written.
    func save() {
        guard let directory, let saved = lifecycle.saved else { return }
        unsaved = saved
        guard !isSaving else { return }
        isSaving = true
        Task { [configuration, logger] in
            while let next = unsaved {
                unsaved = nil
                await directory.save(next, for: configuration, logger)
            }
            isSaving = false
        }
    }
}

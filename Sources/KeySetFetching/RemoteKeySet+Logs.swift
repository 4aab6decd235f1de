import JOSE
import KeySets
import Logging

extension RemoteKeySet {
    func reportSuccess(since before: KeySetSnapshot, lastFailure: KeySetFetchFailure?) {
        let now = lifecycle.snapshot
        guard now.generation != before.generation || lastFailure != nil else { return logger.debug("Key set fetched without change") }
        let added = now.keys?.countOfKeys(missingFrom: before.keys) ?? 0
        let removed = before.keys?.countOfKeys(missingFrom: now.keys) ?? 0
        logger.notice(
            "Key set fetched",
            metadata: [
                "keys": "\(now.keys?.keys.count ?? 0)", "added": "\(added)", "removed": "\(removed)", "generation": "\(now.generation)",
            ])
        for skipped in now.keys?.skipped ?? [] { report(skipped) }
    }

    private func report(_ skipped: SkippedKey) {
        let metadata: Logger.Metadata = ["kid": "\(skipped.keyID ?? "")", "index": "\(skipped.index)", "reason": "\(skipped.reason)"]
        switch skipped.reason {
        case .symmetricKey, .privateKey: logger.error("Key set publishes a secret key", metadata: metadata)
        case .notForSignatures, .notForVerification, .keyTypeUnknown, .algorithmUnknown: logger.debug("Key skipped", metadata: metadata)
        default: logger.warning("Key skipped", metadata: metadata)
        }
    }

    func reportFailure(_ failure: KeySetFetchFailure) {
        let now = lifecycle.snapshot
        logger.warning(
            "Key set could not be fetched",
            metadata: [
                "error": "\(failure)",
                "keys": "\(now.keys?.keys.count ?? 0)",
                "too_stale": "\(now.isTooStale(at: Moment.now.date))",
            ])
    }
}

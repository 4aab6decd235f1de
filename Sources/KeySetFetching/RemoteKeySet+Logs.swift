import JOSE
import KeySets
import Logging
import OperationalLog

extension RemoteKeySet {
    func reportSuccess(since before: KeySetSnapshot, lastFailure: KeySetFetchFailure?) {
        let now = lifecycle.snapshot
        guard now.generation != before.generation || lastFailure != nil else { return logger.debug("Key set fetched without change") }
        let added = now.keys?.countOfKeys(missingFrom: before.keys) ?? 0
        let removed = before.keys?.countOfKeys(missingFrom: now.keys) ?? 0
        logger.notice(
            "Key set fetched",
            [
                .keys: .number(now.keys?.keys.count ?? 0), .added: .number(added), .removed: .number(removed),
                .generation: .number(Int(clamping: now.generation)),
            ])
        for skipped in now.keys?.skipped ?? [] { report(skipped) }
    }

    private func report(_ skipped: SkippedKey) {
        let facts: [LogMember: LogValue] = [
            .keyID: .text(skipped.keyID ?? ""), .index: .number(skipped.index), .cause: "\(skipped.reason)",
        ]
        switch skipped.reason {
        case .symmetricKey, .privateKey: logger.error("Key set publishes a secret key", facts)
        case .notForSignatures, .notForVerification, .keyTypeUnknown, .algorithmUnknown: logger.debug("Key skipped", facts)
        default: logger.warning("Key skipped", facts)
        }
    }

    func reportFailure(_ failure: KeySetFetchFailure) {
        let now = lifecycle.snapshot
        logger.warning(
            "Key set could not be fetched",
            [
                .cause: "\(failure)", .keys: .number(now.keys?.keys.count ?? 0), .tooStale: .flag(now.isTooStale(at: Moment.now.date)),
            ])
    }
}

import JOSE
import KeySets
import Logging
import Logs

extension RemoteKeySet {
    func reportSuccess(since before: KeySetSnapshot, lastFailure: KeySetFetchFailure?) {
        let now = lifecycle.snapshot
        defer { if let keys = now.keys { reportUntold(of: keys) } }
        guard now.generation != before.generation || lastFailure != nil else {
            return logger.debug("Key set fetched without change")
        }
        let added = now.keys?.countOfKeys(missingFrom: before.keys) ?? 0
        let removed = before.keys?.countOfKeys(missingFrom: now.keys) ?? 0
        logger.notice(
            "Key set fetched",
            [
                .keys: .number(now.keys?.keys.count ?? 0), .added: .number(added), .removed: .number(removed),
                .generation: .number(Int(clamping: now.generation)),
            ])
    }

    /// Logs each key that is skipped, or is written in an unusual way, once. Does so even if the keys in use stay the
    /// same.
    private func reportUntold(of keys: KeySet) {
        for key in told.untoldSkipped(in: keys) { report(key) }
        for key in told.untoldUnusual(in: keys) {
            logger.warning(
                "Key is written in an unusual way",
                [.cause: "\(key.cause)", .keyID: .text(key.keyID ?? ""), .index: .number(key.index)])
        }
        told = ToldKeys(keys)
    }

    private func report(_ skipped: SkippedKey) {
        var facts: [LogMember: LogValue] = [
            .keyID: .text(skipped.keyID ?? ""), .index: .number(skipped.index), .cause: "\(skipped.reason)",
        ]
        if let algorithm = skipped.algorithm { facts[.algorithm] = .text(algorithm.rawValue) }
        switch skipped.reason.weight {
        case .secret: logger.error("Key set publishes a secret key", facts)
        case .mistake: logger.warning("Key skipped", facts)
        case .ordinary: logger.notice("Key skipped", facts)
        }
    }

    func reportFailure(_ failure: KeySetFetchFailure) {
        let now = lifecycle.snapshot
        logger.warning(
            "Key set could not be fetched",
            [
                .cause: "\(failure)", .keys: .number(now.keys?.keys.count ?? 0),
                .tooStale: .flag(now.isTooStale(at: Moment.now.date)),
            ])
    }
}

import JOSE
import TokenVerification

extension KeySetLifecycle {
    /// Handles a request that needs a key which the snapshot does not have. Without a key ID, it needs any keys at all.
    ///
    /// The actions contain its answer, or it waits under its ID until the actions of a later event do.
    public mutating func requestNeedsKey(_ keyID: String?, waiter: WaiterID, at now: Moment) -> [Action] {
        guard phase != .stopped else { return [.answer([waiter], .unavailable(retryAfter: .seconds(1)))] }
        refused.expire(at: now.instant)
        guard let usable = usableKeys(at: now) else {
            let isOutlived = isOutlived(at: now)
            guard fetch != nil || phase == .restoring || isOutlived, hasRoomToWait else {
                // The set became too old without an event, so the snapshot still has the old `canWait`. `settle`
                // updates it.
                return settle([.answer([waiter], unavailable(at: now))], at: now)
            }
            let waiting = wait(waiter, for: keyID, at: now)
            return settle(isOutlived ? waiting + [beginFetch(at: now)] : waiting, at: now)
        }
        guard let keyID, !usable.contains(keyID: keyID) else { return [.answer([waiter], .keysChanged)] }
        guard snapshot.canHaveKey(keyID) else { return [.answer([waiter], stillUnknown(1))] }
        guard !refused.contains(keyID) else { return [.answer([waiter], stillUnknown(1))] }
        guard hasRoomToWait else { return [.answer([waiter], answerWithoutFetch(to: 1, at: now))] }
        if fetch != nil || phase == .restoring { return settle(wait(waiter, for: keyID, at: now), at: now) }
        guard takeAllowance(at: now) else {
            return settle([.answer([waiter], answerWithoutFetch(to: 1, at: now))], at: now)
        }
        // The request waits before the fetch begins, so that the fetch's answer counts for it.
        return settle(
            wait(waiter, for: keyID, at: now)
                + [beginFetch(at: now, usingAllowance: true, of: configuration.source.hasSingleKeys ? keyID : nil)],
            at: now)
    }

    /// Removes a request that no longer waits. It gets no answer.
    public mutating func waiterLeft(_ waiter: WaiterID) {
        waiters.removeAll { $0.id == waiter }
    }

    /// The keys that may verify tokens now. Nil if there are none, or if they are too old.
    func usableKeys(at now: Moment) -> KeySet? {
        if configuration.source.hasSingleKeys { return phase == .idle ? nil : keys }
        guard let keys, let fetchedAt, now.date < fetchedAt + configuration.staleLimit else { return nil }
        return keys
    }

    /// True if the set is past the stale limit although no fetch has failed since: the wall clock was set, or the
    /// machine was suspended. The next fetch was planned for another age, so requests must not wait for it.
    func isOutlived(at now: Moment) -> Bool {
        phase == .running && fetch == nil && lastOutcome == .succeeded && keys != nil && usableKeys(at: now) == nil
    }

    private var hasRoomToWait: Bool { waiters.count < configuration.waitingLimit }

    private mutating func wait(_ waiter: WaiterID, for keyID: String?, at now: Moment) -> [Action] {
        let deadline = now.instant.advanced(by: configuration.fetchDeadline)
        waiters.append(Waiter(id: waiter, keyID: keyID, lastFetchBefore: lastNumber, deadline: deadline))
        return []
    }

    private mutating func takeAllowance(at now: Moment) -> Bool {
        guard allowance.take(at: now.instant) else { return false }
        counters.unknownKeyIDFetches &+= 1
        return true
    }

    /// Answer to requests with unknown key IDs while no fetch is allowed. The last attempt decides.
    private mutating func answerWithoutFetch(to count: Int, at now: Moment) -> KeyAnswer {
        guard lastOutcome == .succeeded else { return unavailable(at: now) }
        guard !refused.isFull else { return stillUnknown(count) }
        counters.unknownKeyIDsNotAsked &+= UInt64(clamping: count)
        return .notAsked(retryAfter: retryAfter(at: now))
    }

    private mutating func stillUnknown(_ count: Int) -> KeyAnswer {
        counters.unknownKeyIDsRefused &+= UInt64(clamping: count)
        return .confirmedUnknown
    }

    private func unavailable(at now: Moment) -> KeyAnswer { .unavailable(retryAfter: retryAfter(at: now)) }

    /// Time until the next attempt is due or allowed, at least a second.
    private func retryAfter(at now: Moment) -> Duration {
        guard fetch == nil, let next = nextAttempt(at: now) else { return .seconds(1) }
        return max(.seconds(1), now.instant.duration(to: next))
    }
}

// MARK: Answers after a fetch

extension KeySetLifecycle {
    /// Answers requests whose key was restored, so that they need not wait for a fetch.
    mutating func answerFound(at now: Moment) -> [Action] {
        guard let usable = usableKeys(at: now) else { return [] }
        let found = waiters.filter { waiter in waiter.keyID.map { usable.contains(keyID: $0) } ?? true }.map(\.id)
        waiters.removeAll { found.contains($0.id) }
        return answers(found, .keysChanged)
    }

    mutating func afterSuccess(of ended: Fetch, at now: Moment) -> [Action] {
        var found: [WaiterID] = []
        var unknown: [WaiterID] = []
        var left: [Waiter] = []
        for waiter in waiters {
            if waiter.keyID.map({ keys?.contains(keyID: $0) ?? false }) ?? true {
                found.append(waiter.id)
                if ended.usedAllowance, waiter.keyID != nil { allowance.giveBack(at: now.instant) }
            } else if waiter.lastFetchBefore < ended.number, ended.concerns(waiter) {
                unknown.append(waiter.id)
                if let keyID = waiter.keyID { refused.insert(keyID, at: now.instant) }
            } else {
                left.append(waiter)
            }
        }
        waiters = left
        return answers(found, .keysChanged) + answers(unknown, .confirmedUnknown) + fetchForTheRest(at: now)
    }

    mutating func afterFailure(of ended: Fetch, at now: Moment) -> [Action] {
        let canFetchForTheRest = usableKeys(at: now) != nil
        var failed: [WaiterID] = []
        var left: [Waiter] = []
        for waiter in waiters {
            // Without usable keys the next attempt is some time away. With keys, a fetch that began before the request
            // says nothing about its key, so the request may wait for another fetch.
            let isOlder = waiter.lastFetchBefore < ended.number && ended.concerns(waiter)
            if canFetchForTheRest, waiter.keyID != nil, !isOlder {
                left.append(waiter)
            } else {
                failed.append(waiter.id)
            }
        }
        waiters = left
        return answers(failed, unavailable(at: now)) + fetchForTheRest(at: now)
    }

    /// Starts a fetch, if one is allowed, for requests that came after the finished fetch began.
    mutating func fetchForTheRest(at now: Moment) -> [Action] {
        if mustFetchAgain { return [beginFetch(at: now)] }
        let refused = refused
        let isRefused = { (waiter: Waiter) in waiter.keyID.map(refused.contains) ?? false }
        let unknown = waiters.filter(isRefused).map(\.id)
        waiters.removeAll(where: isRefused)
        let actions = unknown.isEmpty ? [] : answers(unknown, stillUnknown(unknown.count))
        guard !waiters.isEmpty else { return actions }
        if takeAllowance(at: now) {
            let single = configuration.source.hasSingleKeys ? waiters.first?.keyID : nil
            return actions + [beginFetch(at: now, usingAllowance: true, of: single)]
        }
        let rest = waiters.map(\.id)
        waiters = []
        return actions + answers(rest, answerWithoutFetch(to: rest.count, at: now))
    }

    mutating func expireWaiters(at now: Moment) -> [Action] {
        let late = waiters.filter { $0.deadline <= now.instant }.map(\.id)
        waiters.removeAll { $0.deadline <= now.instant }
        return answers(late, unavailable(at: now))
    }

    private func answers(_ waiters: [WaiterID], _ answer: KeyAnswer) -> [Action] {
        waiters.isEmpty ? [] : [.answer(waiters, answer)]
    }
}

// MARK: Next attempt

extension KeySetLifecycle {
    /// Time at which an unknown key ID may cause a fetch. Nil if never, or if there are no usable keys.
    func allowedFetch(at now: Moment) -> ContinuousClock.Instant? {
        usableKeys(at: now) == nil ? nil : allowance.nextFetch(at: now.instant)
    }

    /// Earliest time of another attempt, for `Retry-After`. Nil if none will come. The planned fetch of a single key is
    /// none for any other.
    func nextAttempt(at now: Moment) -> ContinuousClock.Instant? {
        [configuration.source.hasSingleKeys ? nil : nextFetch?.instant, allowedFetch(at: now)].compactMap { $0 }.min()
    }
}

import JOSE
import KeySets
import Logging
import TokenVerification

/// One key set kept up to date: carries out what ``KeySetLifecycle`` decides.
///
/// Requests read ``store``; they come here only to wait for a key that is not there.
public actor RemoteKeySet {
    public nonisolated let store: KeySetStore
    public nonisolated let configuration: KeySetConfiguration

    private let fetcher: KeySetFetch
    private let logger: Logger
    private var lifecycle: KeySetLifecycle
    private var memory = KeySetFetch.Memory()
    private var lastFailure: KeySetFetchFailure?
    private var lastWaiter: KeySetLifecycle.WaiterID = 0
    private var waiters: [KeySetLifecycle.WaiterID: CheckedContinuation<KeyAnswer, Never>] = [:]
    private var firstFetchWaiters: [KeySetLifecycle.WaiterID: CheckedContinuation<Void, Never>] = [:]
    private var fetches: [KeySetLifecycle.FetchNumber: Task<Void, Never>] = [:]
    private var wakeUp: Task<Void, Never>?
    private var watch: Task<Void, Never>?

    /// How often a file is looked at for changes.
    static let watchInterval = Duration.seconds(1)

    /// A key set that does nothing yet; a snapshot of the same source, from before, is served until something newer comes.
    public init(
        _ configuration: KeySetConfiguration,
        restoring saved: KeySetSnapshot? = nil,
        proxies: ProxyEnvironment = .ofProcess,
        logger: Logger,
    ) {
        self.configuration = configuration
        fetcher = KeySetFetch(configuration, proxies: proxies)
        let lifecycle = KeySetLifecycle(configuration, restoring: saved)
        store = KeySetStore(lifecycle.snapshot)
        self.lifecycle = lifecycle
        var logger = logger
        logger[metadataKey: "issuer"] = "\(configuration.issuer)"
        logger[metadataKey: "source"] = "\(configuration.source)"
        self.logger = logger
    }

    /// Begins with the first fetch, and to watch the file if it is one.
    public func start() {
        perform(lifecycle.start(at: .now, jitter: .jitter))
        guard case .file(let path) = configuration.source, watch == nil else { return }
        watch = Task { [weak self] in
            let file = WatchedFile(path: path)
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.watchInterval)
                guard let self else { return }
                await noticeChange(of: file)
            }
        }
    }

    /// Ends all fetches and timers, and answers every request that waits.
    public func stop() async {
        let running = Array(fetches.values)
        perform(lifecycle.stop(at: .now))
        wakeUp?.cancel()
        watch?.cancel()
        releaseFirstFetchWaiters()
        for fetch in running { await fetch.value }
    }

    /// Reads a file again at once; a URL is left to its own rhythm, because a reload says nothing about it.
    public func reload() {
        guard case .file = configuration.source else { return }
        perform(lifecycle.sourceChanged(at: .now))
    }

    /// How the key set is doing now.
    public var status: KeySetStatus {
        let snapshot = lifecycle.snapshot
        return KeySetStatus(
            issuer: configuration.issuer,
            source: configuration.source,
            firstFetchHasEnded: lifecycle.firstFetchHasEnded,
            usableKeyCount: snapshot.keys?.keys.count ?? 0,
            skippedKeys: snapshot.keys?.skipped ?? [],
            lastSuccess: snapshot.fetchedAt,
            lastFailure: lastFailure,
            nextFetch: lifecycle.nextFetch?.date,
            generation: snapshot.generation,
            isTooStale: snapshot.isTooStale(at: Moment.now.date),
        )
    }
}

// MARK: Waiting

extension RemoteKeySet {
    /// Waits for a key that the snapshot does not have, never longer than ``KeySetConfiguration/fetchDeadline``.
    ///
    /// Without a key ID, for any keys at all. Returns early if the task is cancelled.
    public func answer(keyID: String?) async -> KeyAnswer {
        lastWaiter &+= 1
        let waiter = lastWaiter
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: .unavailable(retryAfter: .seconds(1))) }
                waiters[waiter] = continuation
                perform(lifecycle.requestNeedsKey(keyID, waiter: waiter, at: .now))
            }
        } onCancel: {
            Task { await leave(waiter) }
        }
    }

    /// Returns when the first attempt has ended, well or badly, or when the task is cancelled.
    public func firstFetchEnded() async {
        lastWaiter &+= 1
        let waiter = lastWaiter
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !lifecycle.firstFetchHasEnded, !Task.isCancelled else { return continuation.resume() }
                firstFetchWaiters[waiter] = continuation
            }
        } onCancel: {
            Task { await leave(waiter) }
        }
    }

    private func leave(_ waiter: KeySetLifecycle.WaiterID) {
        lifecycle.waiterLeft(waiter)
        waiters.removeValue(forKey: waiter)?.resume(returning: .unavailable(retryAfter: .seconds(1)))
        firstFetchWaiters.removeValue(forKey: waiter)?.resume()
    }

    private func releaseFirstFetchWaiters() {
        guard lifecycle.firstFetchHasEnded else { return }
        for waiter in firstFetchWaiters.values { waiter.resume() }
        firstFetchWaiters = [:]
    }
}

// MARK: Carrying out

extension RemoteKeySet {
    private func perform(_ actions: [KeySetLifecycle.Action]) {
        for action in actions {
            switch action {
            case .startFetch(let number): startFetch(number)
            case .cancelFetch(let number): fetches[number]?.cancel()
            case .publish: store.publish(lifecycle.snapshot)
            case .answer(let ids, let answer): resume(ids, answer)
            case .scheduleWakeUp(let instant): scheduleWakeUp(at: instant)
            }
        }
    }

    private func resume(_ ids: [KeySetLifecycle.WaiterID], _ answer: KeyAnswer) {
        for id in ids { waiters.removeValue(forKey: id)?.resume(returning: answer) }
    }

    private func scheduleWakeUp(at instant: ContinuousClock.Instant) {
        wakeUp?.cancel()
        wakeUp = Task { [weak self] in
            do {
                try await Task.sleep(until: instant, clock: .continuous)
            } catch {
                return
            }
            await self?.wake()
        }
    }

    private func wake() {
        guard !Task.isCancelled else { return }
        perform(lifecycle.wakeUp(at: .now, jitter: .jitter))
        releaseFirstFetchWaiters()
    }

    private func noticeChange(of file: WatchedFile) async {
        let stamp = await file.stamp()
        guard fetches.isEmpty, lifecycle.firstFetchHasEnded, stamp != memory.stamp else { return }
        perform(lifecycle.sourceChanged(at: .now))
    }

    private func startFetch(_ number: KeySetLifecycle.FetchNumber) {
        fetches[number] = Task { [fetcher, memory] in
            let outcome = await fetcher.attempt(memory)
            fetchEnded(number, outcome)
        }
    }

    private func fetchEnded(_ number: KeySetLifecycle.FetchNumber, _ outcome: KeySetFetch.Outcome) {
        guard fetches.removeValue(forKey: number) != nil, !Task.isCancelled else { return }
        memory = outcome.memory
        let before = lifecycle.snapshot
        switch outcome.result {
        case .success(.keys(let keys, let freshness)):
            perform(lifecycle.fetchSucceeded(number, with: keys, freshness: freshness, at: .now, jitter: .jitter))
            reportSuccess(since: before, lastFailure: lastFailure)
            lastFailure = nil
        case .success(.nothingNew(let freshness)):
            perform(lifecycle.fetchFoundNothingNew(number, freshness: freshness, at: .now, jitter: .jitter))
            reportSuccess(since: before, lastFailure: lastFailure)
            lastFailure = nil
        case .failure(let failure):
            perform(lifecycle.fetchFailed(number, retryAfter: failure.retryAfter, at: .now, jitter: .jitter))
            lastFailure = failure
            reportFailure(failure)
        }
        releaseFirstFetchWaiters()
    }
}

// MARK: Logs

extension RemoteKeySet {
    private func reportSuccess(since before: KeySetSnapshot, lastFailure: KeySetFetchFailure?) {
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

    private func reportFailure(_ failure: KeySetFetchFailure) {
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

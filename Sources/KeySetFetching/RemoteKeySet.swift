import JOSE
import KeySets
import Logging
import Logs
import TokenVerification

/// One key set kept up to date: carries out what ``KeySetLifecycle`` decides.
///
/// Requests read ``store``; they come here only to wait for a key that is not there.
public actor RemoteKeySet {
    public nonisolated let store: KeySetStore
    public nonisolated let configuration: KeySetConfiguration

    let logger: Logger
    let directory: KeySetDirectory?
    var lifecycle: KeySetLifecycle
    /// The key set to save next, after the write under way has ended.
    var unsaved: SavedKeySet?
    var isSaving = false
    /// The keys that the log named, with what is wrong with them.
    var told = ToldKeys()

    private let fetcher: KeySetFetch
    private var memory = KeySetFetch.Memory()
    private var lastFailure: KeySetFetchFailure?
    /// Fetches that ended with an answer or a failure; one that is given up does not.
    private var endedFetches = 0
    /// Whether the next fetch believes no address that metadata named before.
    private var mustLearnAnew = false
    private var lastWaiter: KeySetLifecycle.WaiterID = 0
    private var waiters: [KeySetLifecycle.WaiterID: CheckedContinuation<KeyAnswer, Never>] = [:]
    private var firstFetchWaiters: [KeySetLifecycle.WaiterID: CheckedContinuation<Void, Never>] = [:]
    private var fetches: [KeySetLifecycle.FetchNumber: Task<Void, Never>] = [:]
    private var timer = WakeUpTimer()
    private var watch: Task<Void, Never>?

    /// Interval at which a file is checked for changes.
    static let watchInterval = Duration.seconds(1)

    /// A key set that does nothing yet.
    ///
    /// With a predecessor of the same source it continues from its state; without, from what a directory has for it.
    public init(
        _ configuration: KeySetConfiguration,
        succeeding predecessor: KeySetSuccession? = nil,
        directory: KeySetDirectory? = nil,
        proxies: ProxyEnvironment = .ofProcess,
        logger: Logger,
    ) {
        self.configuration = configuration
        self.directory = configuration.source.isRemote ? directory : nil
        fetcher = KeySetFetch(configuration, proxies: proxies)
        let lifecycle = KeySetLifecycle(configuration, succeeding: predecessor)
        store = KeySetStore(lifecycle.snapshot)
        self.lifecycle = lifecycle
        let logger = logger.stating([.issuer: .text(configuration.issuer), .source: "\(configuration.source)"])
        self.logger = logger
    }

    /// Begins with what was saved, and the first fetch, and to watch the file if it is one.
    public func start() {
        if let directory, lifecycle.saved == nil {
            beginRestoring(from: directory)
        } else {
            perform(lifecycle.start(at: .now, jitter: .jitter))
        }
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
        timer.cancel()
        watch?.cancel()
        releaseFirstFetchWaiters()
        for fetch in running { await fetch.value }
    }

    /// Reads a file again at once; a URL is left to its own rhythm, because a reload says nothing about it.
    public func reload() {
        guard case .file = configuration.source else { return }
        perform(lifecycle.sourceChanged(at: .now))
    }

    /// Fetches the keys now, for an operator who knows that they changed; metadata is asked again where they are.
    ///
    /// A fetch that is under way began before, so the one after it counts. Returns when that has ended: why it failed,
    /// or nil.
    public func refresh() async -> KeySetFetchFailure? {
        mustLearnAnew = true
        let before = endedFetches
        perform(lifecycle.sourceChanged(at: .now))
        for _ in 0..<2 {
            guard let fetch = fetches.values.first else { break }
            await fetch.value
        }
        return endedFetches == before ? .stopped(source: configuration.source.description) : lastFailure
    }

    /// The state from which a key set of the same source under other rules continues.
    public var succession: KeySetSuccession { lifecycle.succession }

    /// Present state of the key set.
    public var status: KeySetStatus {
        // The caller may be a health check that keeps requests away: without this, a set made too old by the clock
        // would wait.
        if lifecycle.snapshot.isTooStale(at: Moment.now.date) { perform(lifecycle.wakeUp(at: .now, jitter: .jitter)) }
        let snapshot = lifecycle.snapshot
        let now = Moment.now.date
        return KeySetStatus(
            issuer: configuration.issuer,
            source: configuration.source,
            firstFetchHasEnded: lifecycle.firstFetchHasEnded,
            usableKeyCount: snapshot.keys?.keys.count ?? 0,
            skippedKeys: snapshot.keys?.skipped ?? [],
            lastSuccess: snapshot.fetchedAt,
            age: snapshot.fetchedAt.map { .seconds(max(0, now.seconds - $0.seconds)) },
            restoredFromDisk: lifecycle.isUnconfirmed,
            lastFailure: lastFailure,
            nextFetch: lifecycle.nextFetch?.date,
            generation: snapshot.generation,
            isTooStale: snapshot.isTooStale(at: now),
            counters: lifecycle.counters,
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
                guard !Task.isCancelled else {
                    return continuation.resume(returning: .unavailable(retryAfter: .seconds(1)))
                }
                waiters[waiter] = continuation
                perform(lifecycle.requestNeedsKey(keyID, waiter: waiter, at: .now))
            }
        } onCancel: {
            Task { await leave(waiter) }
        }
    }

    /// Waits for a key that any of several key sets may have, until one of them has it or all have answered.
    public static func answer(keyID: String?, fromAnyOf keySets: [RemoteKeySet]) async -> KeyAnswer {
        if keySets.count == 1, let only = keySets.first { return await only.answer(keyID: keyID) }
        return await withTaskGroup { group in
            for keySet in keySets { group.addTask { await keySet.answer(keyID: keyID) } }
            var merged: KeyAnswer?
            for await answer in group {
                merged = merged?.merged(with: answer) ?? answer
                // Without a key ID all of them have to be there.
                if merged == .keysChanged, keyID != nil { group.cancelAll() }
            }
            return merged ?? .unavailable(retryAfter: .seconds(1))
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

    func releaseFirstFetchWaiters() {
        guard lifecycle.firstFetchHasEnded else { return }
        for waiter in firstFetchWaiters.values { waiter.resume() }
        firstFetchWaiters = [:]
    }
}

// MARK: Carrying out

extension RemoteKeySet {
    func perform(_ actions: [KeySetLifecycle.Action]) {
        for action in actions {
            switch action {
            case .startFetch(let number): startFetch(number)
            case .cancelFetch(let number): fetches[number]?.cancel()
            case .publish: store.publish(lifecycle.snapshot)
            case .answer(let ids, let answer): resume(ids, answer)
            case .scheduleWakeUp(let instant): timer.set(to: instant) { [weak self] in await self?.wake() }
            }
        }
    }

    private func resume(_ ids: [KeySetLifecycle.WaiterID], _ answer: KeyAnswer) {
        for id in ids { waiters.removeValue(forKey: id)?.resume(returning: answer) }
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
        if mustLearnAnew { memory.learnt = nil }
        mustLearnAnew = false
        // Before it begins: what it does not find, nobody has who named it until now.
        let unasked = store.takeUnasked()
        fetches[number] = Task { [fetcher, memory] in
            let outcome = await fetcher.attempt(memory)
            fetchEnded(number, outcome, answering: unasked)
        }
    }

    private func fetchEnded(
        _ number: KeySetLifecycle.FetchNumber, _ outcome: KeySetFetch.Outcome, answering unasked: Set<String>
    ) {
        guard fetches.removeValue(forKey: number) != nil, !Task.isCancelled else { return }
        memory = outcome.memory
        endedFetches &+= 1
        let before = lifecycle.snapshot
        switch outcome.result {
        case .success(.keys(let keys, let freshness)):
            perform(
                lifecycle.fetchSucceeded(
                    number, with: keys, freshness: freshness, answering: unasked, at: .now, jitter: .jitter))
            succeeded(since: before)
        case .success(.nothingNew(let freshness)):
            perform(
                lifecycle.fetchFoundNothingNew(
                    number, freshness: freshness, answering: unasked, at: .now, jitter: .jitter))
            succeeded(since: before)
        case .failure(let failure):
            perform(lifecycle.fetchFailed(number, retryAfter: failure.retryAfter, at: .now, jitter: .jitter))
            lastFailure = failure
            reportFailure(failure)
        }
        releaseFirstFetchWaiters()
    }

    private func succeeded(since before: KeySetSnapshot) {
        reportSuccess(since: before, lastFailure: lastFailure)
        lastFailure = nil
        if lifecycle.snapshot.fetchedAt != before.fetchedAt { save() }
    }
}

import JOSE
import KeySets
import Logging
import Logs
import TokenVerification

/// Keeps one key set up to date. Carries out the actions of ``KeySetLifecycle``.
///
/// Requests read ``store``, and use this actor only to wait for a key that is not in it.
public actor RemoteKeySet {
    public nonisolated let store: KeySetStore
    public nonisolated let configuration: KeySetConfiguration

    private(set) var logger: Logger
    let directory: KeySetDirectory?
    var lifecycle: KeySetLifecycle
    /// The key set to save after the current write. Nil if there is none.
    var unsaved: SavedKeySet?
    /// Write of key sets in progress. Nil between two writes.
    var saving: Task<Void, Never>?
    /// Keys that have been logged, with their faults.
    var told = ToldKeys()

    private let fetcher: KeySetFetch
    private var memory = KeySetFetch.Memory()
    private var lastFailure: KeySetFetchFailure?
    /// Number of fetches that ended with an answer or a failure. Cancelled ones are not counted.
    private var endedFetches = 0
    /// True if the next fetch must not use a URL from earlier metadata.
    private var mustLearnAnew = false
    private var lastWaiter: KeySetLifecycle.WaiterID = 0
    private var waiters: [KeySetLifecycle.WaiterID: CheckedContinuation<KeyAnswer, Never>] = [:]
    private var firstFetchWaiters: [KeySetLifecycle.WaiterID: CheckedContinuation<Void, Never>] = [:]
    private var fetches: [KeySetLifecycle.FetchNumber: Task<Void, Never>] = [:]
    private var timer = WakeUpTimer()
    private var watch: Task<Void, Never>?

    /// Interval between two checks of a source file for changes.
    static let watchInterval = Duration.seconds(1)

    /// Makes a key set that has not started.
    ///
    /// It continues from the state of a predecessor with the same source. Without a predecessor, it begins with the set
    /// saved in the directory.
    public init(
        _ configuration: KeySetConfiguration,
        succeeding predecessor: KeySetSuccession? = nil,
        directory: KeySetDirectory? = nil,
        proxies: ProxyEnvironment = .ofProcess,
        tables: KeyTables? = nil,
        issuers: String? = nil,
        logger: Logger,
    ) {
        self.configuration = configuration
        self.directory = configuration.source.filePath == nil ? directory : nil
        fetcher = KeySetFetch(configuration, proxies: proxies)
        let lifecycle = KeySetLifecycle(configuration, succeeding: predecessor)
        store = KeySetStore(lifecycle.snapshot, tables: tables)
        self.lifecycle = lifecycle
        self.logger = logger.stating([.issuerURL: .text(configuration.issuer), .source: "\(configuration.source)"])
            .naming(issuers)
    }

    /// Changes the names of the issuers that use the key set, which its log lines have.
    func name(_ issuers: String?) { logger = logger.naming(issuers) }

    /// Starts with the saved set and the first fetch. Starts to watch the source if it is a file.
    public func start() {
        if let directory, lifecycle.saved == nil {
            beginRestoring(from: directory)
        } else {
            perform(lifecycle.start(at: .now, jitter: .jitter))
        }
        guard let path = configuration.source.filePath, watch == nil else { return }
        watch = Task { [weak self] in
            let file = WatchedFile(path: path)
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.watchInterval)
                guard let self else { return }
                await noticeChange(of: file)
            }
        }
    }

    /// Cancels all fetches and timers, and answers every request that waits. Returns once the last answer is saved, so
    /// that the next process finds its keys.
    public func stop() async {
        let running = Array(fetches.values)
        perform(lifecycle.stop(at: .now))
        timer.cancel()
        watch?.cancel()
        releaseFirstFetchWaiters()
        for fetch in running { await fetch.value }
        await saving?.value
    }

    /// Reads a source file again at once. A URL keeps its own schedule, because a reload of the configuration says
    /// nothing about it.
    public func reload() {
        guard configuration.source.filePath != nil else { return }
        perform(lifecycle.sourceChanged(at: .now))
    }

    /// Fetches the keys now, for an operator who knows that they changed. Fetches the metadata again too.
    ///
    /// If a fetch is under way, its result does not count, because it began earlier, and another fetch follows. Of a
    /// source with single keys, all keys in use are fetched. Returns the failure of the last fetch. Nil if it
    /// succeeded, or if there was nothing to fetch.
    public func refresh() async -> KeySetFetchFailure? {
        mustLearnAnew = true
        let before = endedFetches
        perform(lifecycle.sourceChanged(at: .now))
        // A set is fetched once, or twice if a fetch was under way. Single keys are fetched one after the other.
        let most = configuration.source.hasSingleKeys ? configuration.keyLimit + 1 : 2
        for _ in 0..<most {
            guard let fetch = fetches.values.first else { break }
            await fetch.value
        }
        let hasNothingToFetch = configuration.source.hasSingleKeys && lifecycle.snapshot.keys?.keys.isEmpty ?? true
        guard endedFetches == before, !hasNothingToFetch else { return lastFailure }
        return .stopped(source: configuration.source.description)
    }

    /// State from which a key set with the same source and another configuration continues.
    public var succession: KeySetSuccession { lifecycle.succession }

    /// Current status of the key set.
    public var status: KeySetStatus {
        // The caller may be a health check that keeps requests away. Then only this call starts a fetch for a set that
        // became too old when the clock was set.
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
            staleLimit: snapshot.hasSingleKeys ? nil : configuration.staleLimit,
            restoredFromDisk: lifecycle.isUnconfirmed,
            lastFailure: lastFailure,
            nextFetch: lifecycle.nextFetch?.date,
            generation: snapshot.generation,
            isTooStale: snapshot.isTooStale(at: now),
            counters: lifecycle.counters,
            keyIDs: snapshot.keys?.keys.compactMap(\.keyID) ?? [],
        )
    }
}

// MARK: Waiting

extension RemoteKeySet {
    /// Waits for a key that the snapshot does not have, never longer than ``KeySetConfiguration/fetchDeadline``.
    ///
    /// Without a key ID, waits for any keys at all. Returns early if the task is cancelled.
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
                // Without a key ID, all key sets must have keys.
                if merged == .keysChanged, keyID != nil { group.cancelAll() }
            }
            return merged ?? .unavailable(retryAfter: .seconds(1))
        }
    }

    /// Waits until the first attempt has succeeded or failed, or until the task is cancelled.
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
            case .startKeyFetch(let number, let keyID): startFetch(number, of: keyID)
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

    /// - Parameter keyID: the key that is fetched alone. Nil if the whole set is fetched.
    private func startFetch(_ number: KeySetLifecycle.FetchNumber, of keyID: String? = nil) {
        if mustLearnAnew { memory.learnt = nil }
        mustLearnAnew = false
        // Taken before the fetch begins, so that its result is valid for all these key IDs.
        let unasked = store.takeUnasked()
        fetches[number] = Task { [fetcher, memory] in
            let outcome = await fetcher.attempt(memory, keyID: keyID)
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
        case .success(.key(let key)):
            perform(lifecycle.keyFetchEnded(number, with: key, at: .now))
            succeeded(since: before)
        case .failure(let failure):
            perform(
                lifecycle.fetchFailed(
                    number, cause: "\(failure)", retryAfter: failure.retryAfter, at: .now, jitter: .jitter))
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

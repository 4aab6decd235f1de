import JOSE
import KeySets
import Logging
import Logs
import NetworkNames
import TokenIntrospection
import TokenVerification

/// Asks one issuer about opaque tokens. Carries out the actions of ``IntrospectionLifecycle``.
///
/// Requests read ``store``, and use this actor only to wait for an answer that is not in it. A token is held only until
/// its introspection ends.
public actor TokenIntrospector {
    public nonisolated let store = IntrospectionStore()
    public nonisolated let configuration: IntrospectionConfiguration

    private let client: IntrospectionClient
    private let secretFile: ClientSecretFile
    private let logger: Logger
    private var lifecycle: IntrospectionLifecycle
    private var lastFailure: IntrospectionFailure?
    private var lastSuccess: NumericDate?
    private var lastWaiter: IntrospectionLifecycle.WaiterID = 0
    private var waiters: [IntrospectionLifecycle.WaiterID: CheckedContinuation<IntrospectionAnswer, Never>] = [:]
    /// Tokens of the held questions, whose turn has not come.
    private var held: [IntrospectionLifecycle.QuestionNumber: [UInt8]] = [:]
    private var asks: [IntrospectionLifecycle.QuestionNumber: Task<Void, Never>] = [:]
    private var timer = WakeUpTimer()
    private var nextReport: ContinuousClock.Instant?
    private var unreportedFailures = 0

    /// Shortest time between two logged failures. Untrusted clients decide how many failures there are.
    static let reportInterval = Duration.seconds(10)

    /// Makes an introspector that has not started.
    public init(_ configuration: IntrospectionConfiguration, proxies: ProxyEnvironment = .ofProcess, logger: Logger) {
        self.configuration = configuration
        let logger = logger.stating([.issuer: .text(configuration.issuer), .endpoint: "\(configuration.endpoint)"])
        self.logger = logger
        secretFile = ClientSecretFile(path: configuration.clientSecretFile, logger: logger)
        client = IntrospectionClient(configuration, secretFile: secretFile, proxies: proxies)
        lifecycle = IntrospectionLifecycle(configuration)
    }

    /// Starts introspection. Reads the file with the secret at once, so that a mistake in it is logged before the first
    /// token comes.
    public func start() async {
        lifecycle.start()
        do {
            _ = try await secretFile.secret(at: .now)
        } catch {
            note(error)
        }
    }

    /// Cancels all questions and timers, and answers every request that waits.
    public func stop() async {
        let running = Array(asks.values)
        perform(lifecycle.stop())
        timer.cancel()
        client.stopLearning()
        for ask in running { await ask.value }
        client.close()
    }

    /// Current status of introspection.
    public var status: IntrospectionStatus {
        let now = Moment.now
        return IntrospectionStatus(
            issuer: configuration.issuer,
            endpoint: client.knownEndpoint,
            counters: lifecycle.counters,
            keptAnswers: lifecycle.keptAnswers,
            cacheHits: store.hits,
            cacheMisses: store.misses,
            questionsUnderWay: lifecycle.questionsUnderWay,
            requestsWaiting: lifecycle.requestsWaiting,
            isPaused: lifecycle.isPaused,
            nextQuestion: lifecycle.pause(at: now).map { now.date + $0 },
            lastFailure: lastFailure,
            lastSuccess: lastSuccess,
        )
    }
}

// MARK: Waiting

extension TokenIntrospector {
    /// Returns the issuer's answer about a token, at the latest after ``IntrospectionConfiguration/deadline``.
    ///
    /// The answer is not verified here. Returns early if the task is cancelled.
    ///
    /// - Parameters:
    ///   - digest: the digest of this token; the cache key of its answer.
    ///   - client: the network of the client. Nil if it is unknown.
    public func answer(for token: [UInt8], digest: TokenDigest, of client: ClientNetwork? = nil) async
        -> IntrospectionAnswer
    {
        lastWaiter &+= 1
        let waiter = lastWaiter
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else {
                    return continuation.resume(returning: .unavailable(retryAfter: .seconds(1)))
                }
                waiters[waiter] = continuation
                perform(lifecycle.question(about: digest, waiter: waiter, of: client, at: .now), token: token)
            }
        } onCancel: {
            Task { await leave(waiter) }
        }
    }

    private func leave(_ waiter: IntrospectionLifecycle.WaiterID) {
        perform(lifecycle.waiterLeft(waiter))
        waiters.removeValue(forKey: waiter)?.resume(returning: .unavailable(retryAfter: .seconds(1)))
    }
}

// MARK: Carrying out

extension TokenIntrospector {
    /// Carries out actions. `token` is the token of the request that caused them. Other questions among the actions use
    /// their held tokens.
    private func perform(_ actions: [IntrospectionLifecycle.Action], token: [UInt8] = []) {
        for action in actions {
            switch action {
            case .ask(let number, _): ask(number, about: held.removeValue(forKey: number) ?? token)
            case .hold(let number, _): held[number] = token
            case .cancelAsk(let number):
                held[number] = nil
                asks[number]?.cancel()
            case .keep(let digest, let response, let end): store.keep(response, for: digest, until: end)
            case .forget(let digests): store.forget(digests)
            case .answer(let ids, let answer):
                for id in ids { waiters.removeValue(forKey: id)?.resume(returning: answer) }
            case .scheduleWakeUp(let instant): timer.set(to: instant) { [weak self] in await self?.wake() }
            }
        }
    }

    private func ask(_ number: IntrospectionLifecycle.QuestionNumber, about token: [UInt8]) {
        asks[number] = Task { [client] in
            let result: Result<IntrospectionResponse, IntrospectionFailure>
            do throws(IntrospectionFailure) {
                result = .success(try await client.ask(about: token))
            } catch {
                result = .failure(error)
            }
            askEnded(number, result)
        }
    }

    private func askEnded(
        _ number: IntrospectionLifecycle.QuestionNumber, _ result: Result<IntrospectionResponse, IntrospectionFailure>
    ) {
        guard asks.removeValue(forKey: number) != nil, !Task.isCancelled else { return }
        let wasPaused = lifecycle.isPaused
        switch result {
        case .success(let response):
            perform(lifecycle.answered(number, with: response, at: .now))
            lastFailure = nil
            lastSuccess = Moment.now.date
        case .failure(let failure):
            perform(lifecycle.failed(number, failure.fault, at: .now, jitter: .jitter))
            note(failure)
        }
        report(since: wasPaused)
    }

    private func wake() {
        guard !Task.isCancelled else { return }
        let wasPaused = lifecycle.isPaused
        let failuresBefore = lifecycle.counters.failures
        perform(lifecycle.wakeUp(at: .now, jitter: .jitter))
        if lifecycle.counters.failures != failuresBefore {
            note(.exchange(.timedOut(source: configuration.endpoint.description, after: configuration.deadline)))
        }
        report(since: wasPaused)
    }
}

// MARK: Logs

extension TokenIntrospector {
    private func note(_ failure: IntrospectionFailure) {
        lastFailure = failure
        unreportedFailures &+= 1
        guard nextReport.map({ $0 <= .now }) ?? true else { return }
        nextReport = .now.advanced(by: Self.reportInterval)
        logger.warning(
            "Token could not be introspected", [.cause: "\(failure)", .failures: .number(unreportedFailures)])
        unreportedFailures = 0
    }

    private func report(since wasPaused: Bool) {
        guard wasPaused != lifecycle.isPaused else { return }
        guard lifecycle.isPaused else {
            guard lastFailure == nil else { return logger.notice("Introspection is tried again") }
            return logger.notice("Introspection works again")
        }
        logger.warning(
            "Introspection paused after failures; opaque tokens are answered 503",
            [.cause: "\(lastFailure.map { "\($0)" } ?? "")"])
    }
}

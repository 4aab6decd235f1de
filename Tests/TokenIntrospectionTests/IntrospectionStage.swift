import JOSE
import KeySets
import TokenIntrospection
import TokenVerification

/// A lifecycle with a clock controlled by the test, in seconds since its start, and with tokens named by words.
final class IntrospectionStage {
    /// An action in a form that can be compared; responses and tokens by name.
    enum Step: Hashable {
        case ask(UInt64, String)
        case hold(UInt64, String)
        case cancel(UInt64)
        /// The response's `jti`, and the second until which it may be used.
        case keep(String, answer: String, until: Double)
        case forget([String])
        case answer([UInt64], String)
        case unavailable([UInt64], retryAfter: Double)
    }

    static let beginning = Moment(instant: .now, date: NumericDate(seconds: 1_790_000_000))

    private var lifecycle: IntrospectionLifecycle
    let store = IntrospectionStore()
    /// Times at which the lifecycle asked to be woken, the latest last.
    private(set) var wakeUps: [Double] = []
    private let key: TokenDigestKey
    private var names: [TokenDigest: String] = [:]

    init(_ change: (inout IntrospectionConfiguration) -> Void = { _ in }) throws {
        lifecycle = IntrospectionLifecycle(try SampleAnswers.configuration(change))
        guard let key = TokenDigestKey() else { throw NoKey() }
        self.key = key
        lifecycle.start()
    }

    struct NoKey: Error {}

    static func moment(_ seconds: Double) -> Moment {
        beginning.advanced(by: .milliseconds(Int64(seconds * 1000)))
    }

    static func date(_ seconds: Double) -> NumericDate { moment(seconds).date }

    func digest(_ token: String) -> TokenDigest {
        let bytes = Array(token.utf8)
        guard let digest = key.digest(of: bytes.span) else { preconditionFailure("no memory") }
        names[digest] = token
        return digest
    }

    /// - Parameter client: client of the request. Nil for a separate client.
    func asks(_ token: String, waiter: UInt64, of client: UInt64? = nil, at seconds: Double) -> [Step] {
        let client = ClientNetwork(high: client == nil ? 1 : 0, low: client ?? waiter)
        return steps(lifecycle.question(about: digest(token), waiter: waiter, of: client, at: Self.moment(seconds)))
    }

    func answers(_ number: UInt64, _ text: String, at seconds: Double) throws -> [Step] {
        steps(lifecycle.answered(number, with: try SampleAnswers.response(text), at: Self.moment(seconds)))
    }

    func fails(_ number: UInt64, _ fault: IntrospectionFault = .issuer(), at seconds: Double) -> [Step] {
        steps(lifecycle.failed(number, fault, at: Self.moment(seconds), jitter: 0.5))
    }

    @discardableResult func leaves(_ waiter: UInt64) -> [Step] {
        steps(lifecycle.waiterLeft(waiter))
    }

    var questionsUnderWay: Int { lifecycle.questionsUnderWay }

    var requestsWaiting: Int { lifecycle.requestsWaiting }

    var isPaused: Bool { lifecycle.isPaused }

    var counters: IntrospectionCounters { lifecycle.counters }

    var keptAnswers: Int { lifecycle.keptAnswers }

    func pause(at seconds: Double) -> Duration? { lifecycle.pause(at: Self.moment(seconds)) }

    func wakes(at seconds: Double) -> [Step] {
        steps(lifecycle.wakeUp(at: Self.moment(seconds), jitter: 0.5))
    }

    func stops() -> [Step] {
        steps(lifecycle.stop())
    }

    /// Result of a cache lookup for a token.
    func finds(_ token: String, at seconds: Double) -> String? {
        store.answer(for: digest(token), at: Self.date(seconds)).map(SampleAnswers.name)
    }

    /// Executes actions that concern the cache, and removes those that only concern the runner.
    private func steps(_ actions: [IntrospectionLifecycle.Action]) -> [Step] {
        actions.compactMap { action in
            switch action {
            case .ask(let number, let digest): return .ask(number, name(digest))
            case .hold(let number, let digest): return .hold(number, name(digest))
            case .cancelAsk(let number): return .cancel(number)
            case .keep(let digest, let response, let end):
                store.keep(response, for: digest, until: end)
                return .keep(name(digest), answer: SampleAnswers.name(response), until: Self.seconds(end))
            case .forget(let digests):
                store.forget(digests)
                return .forget(digests.map(name).sorted())
            case .answer(let waiters, .response(let response)): return .answer(waiters, SampleAnswers.name(response))
            case .answer(let waiters, .unavailable(let retryAfter)):
                return .unavailable(waiters, retryAfter: Self.rounded(retryAfter.inSeconds))
            case .scheduleWakeUp(let instant):
                wakeUps.append(Self.rounded(Self.beginning.instant.duration(to: instant).inSeconds))
                return nil
            }
        }
    }

    private func name(_ digest: TokenDigest) -> String { names[digest] ?? "?" }

    private static func seconds(_ date: NumericDate) -> Double { rounded(date.seconds - beginning.date.seconds) }

    private static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }
}

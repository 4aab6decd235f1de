import AccessControl
import Administration
import Files
import KeySetFetching
import KeySets
import Logging
import Logs
import MetricFamilies
import NIOPosix
import SharedState

/// Carries out what a ``DenialLifecycle`` says: looks at files, reads and writes them, exchanges decisions with other
/// gateways, has requests judged by the outcome, and answers the admin listener.
///
/// Everything that changes what was added happens in turn.
public actor DenialRegister {
    private var lifecycle: DenialLifecycle
    private var saved: SavedDenials? { lifecycle.settings.saved }
    /// The list that requests are judged by under the present configuration.
    private var list: DenyList
    /// Nil if nobody shares the decisions.
    private var peers: DenialPeers?
    private var turns = Turns()
    /// Called after each change, and awaited: it ends what denied tokens have opened.
    private var onChange: @Sendable () async -> Void = {}
    private let logger: Logger

    /// Time between looks at files. A change is in force two of them later at the latest, and as long as the reading
    /// takes.
    static let interval = Duration.milliseconds(500)
    /// The same for a process whose successor is told what to deny.
    private static let predecessorInterval = Duration.milliseconds(50)
    /// Time between exchanges with other gateways.
    static let peerInterval = Duration.milliseconds(200)

    /// Restores what was saved, and hears what others decided while this process was not there.
    ///
    /// - Throws: if what was saved cannot be used, so that tokens would be let in that were denied.
    public init(_ settings: DenialSettings, _ digests: DenyDigests, logger: Logger) async throws(DenyProblem) {
        self.logger = logger
        list = DenyList(digests)
        // Also where nothing can be added any more: what was denied stays so until it is removed or over.
        let stamp = await settings.saved?.stamp()
        lifecycle = DenialLifecycle(settings, digests, saved: try await settings.saved?.read().get() ?? nil, stamp)
        await take(settings, list)
        await exchange()
    }

    /// Puts the list of a configuration in place, before the configuration is.
    ///
    /// - Parameter next: the list that the configuration's requests are judged by. Those of the present one are judged
    ///   by what the present file said, too: until every event loop has the new configuration, and where it calls
    ///   issuers by other names.
    public func take(_ settings: DenialSettings, _ next: DenyList) async {
        if lifecycle.replacesFile(settings) { list.keepFileTable() }
        list = next
        if settings.store != peers?.settings { peers = settings.store.flatMap { DenialPeers($0) } }
        await perform(lifecycle.taken(settings, at: .now))
    }

    /// The list that the present configuration asks.
    public var present: AskedDenials {
        AskedDenials(list: list, judgesRequests: lifecycle.judgesRequests(under: lifecycle.settings))
    }

    /// The list that a configuration will ask if it takes the place of the present one.
    public func next(_ settings: DenialSettings) -> AskedDenials {
        AskedDenials(list: list.successor(), judgesRequests: lifecycle.judgesRequests(under: settings))
    }

    public func whenChanged(_ body: @escaping @Sendable () async -> Void) { onChange = body }

    /// Looks for changes until the task is cancelled.
    public func run() async {
        while await Self.pause(Self.interval) {
            await catchUp()
            await lookAtFile()
        }
    }

    /// Exchanges decisions with others until the task is cancelled.
    public func runWithPeers() async {
        while await Self.pause(Self.peerInterval) {
            if peers != nil { await turns.take { await self.exchange() }.value }
        }
    }

    /// Looks for what a successor adds, often enough that streams which are still open here end as soon as they would
    /// there.
    public func runAsPredecessor() async {
        repeat { await catchUp() } while await Self.pause(Self.predecessorInterval)
    }

    /// False if the task was cancelled.
    private static func pause(_ interval: Duration) async -> Bool { (try? await Task.sleep(for: interval)) != nil }

    /// Decides from now on, after it has taken over what the predecessor saved.
    ///
    /// - Parameter isPredecessorSilent: whether the predecessor may be stuck.
    public func takeOver(isPredecessorSilent: Bool) async {
        await catchUp()
        lifecycle.isPredecessorSilent = isPredecessorSilent
    }

    private func catchUp() async { await turns.take { await self.lookAtSaved() }.value }

    // MARK: Events

    /// Not in turn, since a long list takes seconds, and nothing that is added is in it.
    private func lookAtFile() async {
        let (configuration, known, isBroken) = (lifecycle.configuration, lifecycle.fileStamp, lifecycle.isFileBroken)
        let (issuers, now) = (lifecycle.settings.issuers, Moment.now.date)
        guard let file = lifecycle.settings.file else { return }
        let look = try? await NIOThreadPool.singleton.runIfActive { () -> DenialLifecycle.FileLook in
            let stamp = FileStamp(file.path)
            let read = { () throws(DenyFileFailure) in try file.read(issuers, now) }
            return (stamp, stamp == known && (stamp != nil || isBroken) ? nil : Result(catching: read))
        }
        if let look { await perform(lifecycle.fileSeen(look, under: configuration, at: .now)) }
    }

    private func lookAtSaved() async {
        guard lifecycle.settings.isOpen, let saved else { return }
        let stamp = await saved.stamp()
        guard stamp != lifecycle.savedStamp else { return }
        await perform(lifecycle.savedSeen((stamp, await saved.read()), at: .now))
    }

    private func exchange() async {
        guard let peers else { return }
        let (taken, fault) = await peers.exchange(knowing: lifecycle.records)
        // A reload may name another store.
        guard self.peers === peers else { return }
        await perform(lifecycle.peersAnswered(taken, fault, at: .now))
    }

    private func tell(_ decisions: [DenialRecord]) async -> StoreFault? {
        guard let peers else { return nil }
        let fault = await peers.tell(decisions)
        return self.peers === peers ? fault : nil
    }

    // MARK: Actions

    /// Carries out actions, and those that follow from their results.
    ///
    /// - Returns: the answer among them. Nil if nobody asked.
    @discardableResult
    private func perform(_ actions: [DenialLifecycle.Action]) async -> DenialAnswer? {
        var answer: DenialAnswer?
        for action in actions {
            switch action {
            case .save(let change):
                let failure = await saved?.write(change.records)
                answer = await perform(lifecycle.written(change, failure, await saved?.stamp(), at: .now))
            case .tell(let change):
                answer = await perform(lifecycle.told(change, await tell(change.decisions)))
            case .publish(let source, let table): list.replace(source, by: table)
            case .endDenied: await onChange()
            case .answer(let given): answer = given
            case .log(let level, let message, let facts): logger.log(level, message, facts)
            }
        }
        return answer
    }

    // MARK: Figures

    /// State of a list that gateways share, for `/readyz`. Nil if none is shared.
    public var sharing: Readiness.SharedDenials? {
        guard peers != nil else { return nil }
        let age = lifecycle.caughtUpAt.map { ContinuousClock.now - $0 }
        return Readiness.SharedDenials(isKnown: lifecycle.isKnown, age: age, lastFailure: lifecycle.fault?.text)
    }

    /// Metrics of the list. They have no values if requests are judged by none.
    public var families: [MetricFamily] { lifecycle.families(at: .now) { [list] in list.table(of: $0) } }

    // MARK: The admin listener

    /// The service of the admin listener, for operators who may change the list.
    public nonisolated var service: DenialService {
        DenialService(
            answer: { await self.answer($0, to: $1) },
            noteRefusal: { [logger] action, caller, status in
                logger.stating(caller.members).warning(
                    "Deny list not shown or changed", [.action: .text(action.rawValue), .status: .number(status)])
            })
    }

    private func answer(_ request: DenialRequest, to caller: DenialCaller) async -> DenialAnswer {
        let answer = await turns.take { await self.outcome(of: request) }.value
        let entries = LogValue.number(lifecycle.records.count(at: Moment.now.date))
        logger.stating(caller.members).notice(
            "Deny list asked",
            [.action: .text(request.action.rawValue), .status: .number(answer.status), .entries: entries])
        return answer
    }

    private func outcome(of request: DenialRequest) async -> DenialAnswer {
        // A handover may be under way.
        await lookAtSaved()
        return await perform([lifecycle.asked(request, at: Moment.now.date)]) ?? .notInForce
    }
}

extension DenialCaller {
    /// In a line of the log.
    fileprivate var members: [LogMember: LogValue] {
        var members: [LogMember: LogValue] = [.caller: .text(identity.rawValue)]
        if let address { members[.address] = .text(address) }  // in bounds: a dictionary
        return members
    }
}

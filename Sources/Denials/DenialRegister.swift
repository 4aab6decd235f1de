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
import TokenVerification

/// Carries out the actions of a ``DenialLifecycle``: checks, reads and writes files, exchanges decisions with other
/// gateways, replaces tables, and answers requests on the admin listener.
///
/// All changes of added entries are made one after another.
public actor DenialRegister {
    private var lifecycle: DenialLifecycle
    private var saved: SavedDenials? { lifecycle.settings.saved }
    /// The list that requests are checked against under the present configuration.
    private var list: DenyList
    /// Exchange with other gateways. Nil if decisions are not shared.
    private var peers: DenialPeers?
    private var turns = Turns()
    /// Called and awaited after each change. Ends the streams that denied tokens have opened.
    private var onChange: @Sendable () async -> Void = {}
    private let logger: Logger

    /// Time between checks of the files. A change is in force after at most two intervals and the time to read the
    /// file.
    static let interval = Duration.milliseconds(500)
    /// Time between checks in a process that is being replaced, while operators add entries at its successor.
    private static let predecessorInterval = Duration.milliseconds(50)
    /// Time between exchanges with other gateways.
    static let peerInterval = Duration.milliseconds(200)

    /// Restores the saved records, and reads what other gateways decided meanwhile.
    ///
    /// - Throws: `DenyProblem` if the saved records cannot be used. Without them, denied tokens would be accepted.
    public init(_ settings: DenialSettings, _ digests: DenyDigests, logger: Logger) async throws(DenyProblem) {
        self.logger = logger
        list = DenyList(digests)
        // Even if the configuration does not permit changes: denied tokens stay denied until entries are removed or
        // expire.
        let stamp = await settings.saved?.stamp()
        lifecycle = DenialLifecycle(settings, digests, saved: try await settings.saved?.read().get() ?? nil, stamp)
        await take(settings, list)
        await exchange()
    }

    /// Puts the list of a configuration in force, before the configuration itself.
    ///
    /// - Parameter next: list that the configuration's requests are checked against. Requests under the present
    ///   configuration are also checked against its deny file, until every event loop has the new one: issuers may have
    ///   other names there.
    public func take(_ settings: DenialSettings, _ next: DenyList) async {
        if lifecycle.replacesFile(settings) { list.keepFileTable() }
        list = next
        if settings.store != peers?.settings { peers = settings.store.flatMap { DenialPeers($0) } }
        await perform(lifecycle.taken(settings, at: .now))
    }

    /// The list of the present configuration.
    public var present: AskedDenials {
        AskedDenials(list: list, judgesRequests: lifecycle.judgesRequests(under: lifecycle.settings))
    }

    /// The list that a configuration will have once it replaces the present one.
    public func next(_ settings: DenialSettings) -> AskedDenials {
        AskedDenials(list: list.successor(), judgesRequests: lifecycle.judgesRequests(under: settings))
    }

    public func whenChanged(_ body: @escaping @Sendable () async -> Void) { onChange = body }

    /// Checks the files for changes until the task is cancelled.
    public func run() async {
        while await Self.pause(Self.interval) {
            await catchUp()
            await lookAtFile()
        }
    }

    /// Exchanges decisions with other gateways until the task is cancelled.
    public func runWithPeers() async {
        while await Self.pause(Self.peerInterval) {
            if peers != nil { await turns.take { await self.exchange() }.value }
        }
    }

    /// Checks for entries that a successor process adds, until the task is cancelled. Streams that are still open here
    /// then end about as soon as they would there.
    public func runAsPredecessor() async {
        repeat { await catchUp() } while await Self.pause(Self.predecessorInterval)
    }

    /// Waits for the interval. False if the task was cancelled.
    private static func pause(_ interval: Duration) async -> Bool { (try? await Task.sleep(for: interval)) != nil }

    /// Takes over from the predecessor process, after reading the entries that it saved.
    ///
    /// - Parameter isPredecessorSilent: whether the predecessor may be hung.
    public func takeOver(isPredecessorSilent: Bool) async {
        await catchUp()
        lifecycle.isPredecessorSilent = isPredecessorSilent
    }

    private func catchUp() async { await turns.take { await self.lookAtSaved() }.value }

    // MARK: Events

    /// Checks the deny file. Not serialized with changes of added entries: a long list takes seconds to read, and
    /// contains no added entries.
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
        // A reload may have changed the store meanwhile.
        guard self.peers === peers else { return }
        await perform(lifecycle.peersAnswered(taken, fault, at: .now))
    }

    private func tell(_ decisions: [DenialRecord]) async -> StoreFault? {
        guard let peers else { return nil }
        let fault = await peers.tell(decisions)
        return self.peers === peers ? fault : nil
    }

    // MARK: Actions

    /// Carries out actions, and the actions that follow from their results.
    ///
    /// - Returns: the answer to send. Nil if there is none.
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

    /// State of a list that gateways share, for `/readyz`. Nil if the list is not shared.
    public var sharing: Readiness.SharedDenials? {
        guard peers != nil else { return nil }
        let age = lifecycle.caughtUpAt.map { ContinuousClock.now - $0 }
        return Readiness.SharedDenials(isKnown: lifecycle.isKnown, age: age, lastFailure: lifecycle.fault?.text)
    }

    /// Number of added entries that end before a time, and when the first of them does. Nil if there are none.
    ///
    /// Entries of the deny file are not counted.
    public func endings(before limit: NumericDate) -> (count: Int, first: NumericDate)? {
        let ends = lifecycle.records.entries(at: Moment.now.date).map(\.expires).filter { $0 < limit }
        return ends.min().map { (ends.count, $0) }
    }

    /// Metrics of the list. They have no values if requests are not checked against a list.
    public var families: [MetricFamily] { lifecycle.families(at: .now) { [list] in list.table(of: $0) } }

    // MARK: The admin listener

    /// The admin listener's service for showing and changing the list.
    public nonisolated var service: DenialService {
        DenialService(
            answer: { await self.answer($0, to: $1) },
            noteRefusal: { [logger] action, caller, status in
                logger.stating(caller.members).warning(
                    "Deny list not shown or changed", [.action: .text(action.rawValue), .status: .number(status)])
            })
    }

    private func answer(_ request: DenialRequest, to caller: DenialCaller) async -> DenialAnswer {
        let (answer, entry) = await turns.take { await self.outcome(of: request) }.value
        let entries = LogValue.number(lifecycle.records.count(at: Moment.now.date))
        let facts: [LogMember: LogValue] = [
            .action: .text(request.action.rawValue), .status: .number(answer.status), .entries: entries,
        ]
        logger.stating(caller.members).notice(
            "Deny list request answered", facts.merging(entry?.members ?? [:]) { own, _ in own })
        return answer
    }

    /// Answer to a request, and the entry that it names. The entry is nil if the request names none.
    private func outcome(of request: DenialRequest) async -> (DenialAnswer, DenyEntry?) {
        // During a handover the other process may have saved entries.
        await lookAtSaved()
        let now = Moment.now.date
        let entry = request.action == .list ? nil : try? lifecycle.entry(of: request, at: now)
        return (await perform([lifecycle.asked(request, at: now)]) ?? .notInForce, entry)
    }
}

extension DenyEntry {
    /// Log members that name the entry for an audit, without its value.
    fileprivate var members: [LogMember: LogValue] {
        var members: [LogMember: LogValue] = [.issuer: .text(issuer), .attribute: .text(attribute.rawValue)]
        members[.digest] = digest.map { .text($0) }  // in bounds: a dictionary
        members[.note] = note.map { .text($0) }  // in bounds: a dictionary
        return members
    }
}

extension DenialCaller {
    /// Log members that identify the caller.
    fileprivate var members: [LogMember: LogValue] {
        var members: [LogMember: LogValue] = [.caller: .text(identity.rawValue)]
        if let address { members[.address] = .text(address) }  // in bounds: a dictionary
        return members
    }
}

import Administration
import ConfigurationFile
import DenyLists
import Files
import KeySetFetching
import KeySets
import Logging
import NIOPosix
import OperationalLog
import SharedQuotas
import TokenVerification

/// The deny list of a running gateway: what its sources say now, and what was added while it runs.
///
/// A source that breaks or vanishes leaves its last entries in force. What is added is on the disk, and in force,
/// before it is answered; where gateways share it, it is in the store as well. Everything that changes it happens in
/// turn.
actor DenialRegister {
    /// What requests are judged by under the present configuration.
    private(set) var list: DenyList
    private let digests: DenyDigests
    private let logger: Logger
    private var issuers = DenyIssuers([TrustedIssuer]())
    /// Whether an operator may change the list now.
    private var isOpen = false
    private var file: DenyFile?
    /// Configurations that were taken.
    private var takes = 0
    private var fileLook = FileLook()
    /// nil: nothing can be kept.
    private var saved: SavedDenials?
    private var savedStamp: WatchedFile.Stamp?
    private var records = DenialRecords()
    /// Whether what another process saves is added to what is known here, and does not replace it.
    private var keepsOwn = false
    /// Whether a list was known at the start.
    private var wasSaved = false
    /// nil: nobody shares them.
    private var peers: DenialPeers?
    /// The end of what has been asked of it.
    private var turn: Task<Void, Never>?
    /// Called after each change, and awaited: it ends what denied tokens have opened.
    private var onChange: @Sendable () async -> Void = {}

    /// What is known of the file that the configuration names.
    private struct FileLook {
        /// What it looked like when it was last read, whether it could be used or not.
        var stamp: FileStamp?
        var isBroken = false
        var failures: UInt64 = 0
        /// When the list in force was last what the file says.
        var goodAt: ContinuousClock.Instant?
    }

    /// What a look at that file finds.
    private enum FileChange {
        case unchanged
        /// It was read, after it looked like this; nil: it could not be looked at.
        case read(FileStamp?, Result<DenyFile.Reading, DenyFileFailure>)
    }

    /// A change of a file is in force two of them later at the latest, and as long as the reading takes.
    static let interval = Duration.milliseconds(500)
    /// The same for a process whose successor is told what to deny.
    private static let predecessorInterval = Duration.milliseconds(50)
    /// How often the store is asked what others decided.
    static let peerInterval = Duration.milliseconds(200)

    /// - Throws: if what was saved cannot be used, so that tokens would be let in that were denied.
    init(_ configuration: Configuration, logger: Logger) async throws(StartFailure) {
        guard let digests = DenyDigests.process else { throw .gateway("the cryptographic library made no secret") }
        self.digests = digests
        self.logger = logger
        list = DenyList(digests)
        do {
            try await restore(configuration)
        } catch {
            throw .denials("\(error)")
        }
        take(configuration, list)
        // What others decided while this process was not there.
        if peers != nil { await exchange() }
    }

    private func restore(_ configuration: Configuration) async throws(SavedDenialsFailure) {
        // Also where nothing can be added any more: what was denied stays so until it is removed or over.
        guard let directory = configuration.stateDirectory else { return }
        let saved = SavedDenials(in: directory)
        savedStamp = await WatchedFile(path: saved.path).stamp()
        guard let read = try await saved.read() else { return }
        (records, wasSaved) = (read, true)
    }

    /// Puts the list of a configuration in place, before the configuration is.
    ///
    /// - Parameter next: what the configuration's requests are judged by. Those of the present one are judged by what
    ///   the present file said, too: until every event loop has the new configuration, and where it calls issuers by
    ///   other names.
    func take(_ configuration: Configuration, _ next: DenyList) {
        if configuration.denyFile != file || configuration.denyIssuers != issuers { list.keepFileTable() }
        list = next
        takes &+= 1
        issuers = configuration.denyIssuers
        isOpen = configuration.takesDenials
        saved = configuration.stateDirectory.map { SavedDenials(in: $0) }
        file = configuration.denyFile
        // It was read for the configuration: the next look reads it again only if it changed since.
        let reading = configuration.denyReading
        fileLook.stamp = reading?.stamp
        fileLook.isBroken = false
        fileLook.goodAt = reading == nil ? nil : .now
        list.replace(.file, by: reading?.table ?? .empty)
        let settings = isOpen ? configuration.sharedState.map(StoreSettings.init) : nil
        if settings != peers?.settings { peers = settings.flatMap(DenialPeers.init) }
        putEntries()
        let unknown = Set(records.all.map(\.entry.issuer)).filter { issuers.lifetime(of: $0) == nil }
        for issuer in unknown.sorted() {
            logger.warning("Saved denials name an issuer that the file does not have", [.issuer: .text(issuer)])
        }
    }

    /// What is asked under the present configuration.
    func present(_ configuration: Configuration) -> AskedDenials {
        AskedDenials(list: list, judgesRequests: judgesRequests(of: configuration))
    }

    /// What is asked under a configuration that may take the place of the present one.
    func next(_ configuration: Configuration) -> AskedDenials {
        AskedDenials(list: list.successor(), judgesRequests: judgesRequests(of: configuration))
    }

    /// Whether requests are judged by a list under a configuration; if not, nothing is denied, and nothing can be.
    func judgesRequests(of configuration: Configuration) -> Bool {
        // Where entries can be added now, one may be before the configuration is in place.
        configuration.hasDenyList || !records.isEmpty || isOpen
    }

    func whenChanged(_ body: @escaping @Sendable () async -> Void) {
        onChange = body
    }

    /// Looks for changes until the task is cancelled.
    func run() async {
        while true {
            do { try await Task.sleep(for: Self.interval) } catch { return }
            await catchUp()
            await lookAtFile()
        }
    }

    /// Exchanges decisions with others until the task is cancelled.
    func runWithPeers() async {
        while true {
            do { try await Task.sleep(for: Self.peerInterval) } catch { return }
            if peers != nil { await inTurn { await $0.exchange() } }
        }
    }

    /// Looks for what a successor adds, often enough that streams which are still open here end as soon as they would
    /// there.
    func runAsPredecessor() async {
        while true {
            await catchUp()
            do { try await Task.sleep(for: Self.predecessorInterval) } catch { return }
        }
    }

    /// Decides from now on, after it has taken over what the predecessor saved.
    ///
    /// - Parameter isPredecessorSilent: whether the predecessor may be stuck. What it saves when it goes on is from
    ///   before, and takes away nothing that is decided here.
    func takeOver(isPredecessorSilent: Bool) async {
        await catchUp()
        keepsOwn = isPredecessorSilent
    }

    /// Takes over what another process of this gateway has saved.
    func catchUp() async {
        await inTurn { await $0.lookAtSaved() }
    }

    private func inTurn<Result: Sendable>(_ work: @escaping @Sendable (isolated DenialRegister) async -> Result) async
        -> Result
    {
        let before = turn
        let task = Task {
            await before?.value
            return await work(self)
        }
        turn = Task { _ = await task.value }
        return await task.value
    }

    @discardableResult
    private func putEntries() -> Bool {
        let now = Moment.now.date
        var builder = DenyTable.Builder(digests)
        for entry in records.entries(at: now) where !builder.add(entry) { return false }
        list.replace(.api, by: builder.table(at: now))
        return true
    }

    // MARK: Files

    /// Not in turn, since a long list takes seconds, and nothing that is added is in it.
    private func lookAtFile() async {
        guard let file else { return }
        let (taken, issuers, known, now) = (takes, issuers, fileLook.stamp, Moment.now.date)
        let look = try? await NIOThreadPool.singleton.runIfActive { () -> FileChange in
            let stamp = file.stamp
            guard stamp == nil || stamp != known else { return .unchanged }
            return .read(stamp, Result { () throws(DenyFileFailure) in try file.read(issuers: issuers, at: now) })
        }
        // A reload may have put another in place meanwhile, or read what is newer.
        guard let look, takes == taken else { return }
        guard case .read(let stamp, let outcome) = look else {
            if !fileLook.isBroken { fileLook.goodAt = .now }
            return
        }
        // One that is gone is told of once.
        if stamp == nil, fileLook.isBroken, fileLook.stamp == nil { return }
        switch outcome {
        case .success(let reading):
            fileLook.stamp = reading.stamp
            let table = reading.table
            if fileLook.isBroken { logger.notice("The deny list can be read again", [.file: .text(file.path)]) }
            (fileLook.isBroken, fileLook.goodAt) = (false, .now)
            list.replace(.file, by: table)
            logger.notice("Deny list read", [.file: .text(file.path), .entries: .number(table.count(at: now))])
            await onChange()
        case .failure(let failure):
            fileLook.stamp = stamp
            fileLook.isBroken = true
            fileLook.failures &+= 1
            report(failure, of: file)
        }
    }

    private func report(_ failure: DenyFileFailure, of file: DenyFile) {
        let message: Logger.Message = "Deny list not read; the last one stays"
        switch failure {
        case .unreadable(let cause): logger.error(message, [.file: .text(file.path), .cause: .text(cause)])
        case .problems(let problems, let count):
            guard let first = problems.first else { return }
            logger.error(
                message,
                [
                    .file: .text(file.path), .cause: .text(first.problem.message), .line: .number(first.line),
                    .errors: .number(count),
                ])
        }
    }

    /// Another process of this gateway, which hands over or takes over, may have added some.
    private func lookAtSaved() async {
        guard let saved, isOpen else { return }
        let stamp = await WatchedFile(path: saved.path).stamp()
        guard stamp != savedStamp else { return }
        do throws(SavedDenialsFailure) {
            guard let read = try await saved.read() else {
                savedStamp = stamp
                return logger.error("Saved denials are gone; the last ones stay", [.file: .text(saved.path)])
            }
            savedStamp = stamp
            var known = read
            if keepsOwn {
                for record in records.all { _ = known.merge(record) }
                known.forget(at: Moment.now.date)
            }
            records = known
            putEntries()
            await onChange()
            if known != read { await keep() }
        } catch {
            logger.error(
                "Saved denials not read; the last ones stay",
                [.file: .text(saved.path), .cause: .text(error.description)])
            savedStamp = stamp
        }
    }

    // MARK: Other gateways

    /// Takes over what others decided, and tells them what they may not know.
    private func exchange() async {
        guard var peers else { return }
        let wasAway = peers.fault != nil
        let taken = await peers.exchange(knowing: records)
        // A reload may name another store.
        guard self.peers?.settings == peers.settings else { return }
        self.peers = peers
        note(peers, wasAway)
        let now = Moment.now.date
        var merged = records
        let news = taken.filter { now < $0.entry.expires && merged.merge($0) }
        merged.forget(at: now)
        if !news.isEmpty {
            records = merged
            putEntries()
            await onChange()
            logger.notice("Denials of other gateways taken over", [.entries: .number(news.count)])
        }
        if !news.isEmpty || !wasSaved && peers.caughtUpAt != nil { await keep() }
    }

    private func note(_ peers: DenialPeers, _ wasAway: Bool) {
        if let fault = peers.fault, !wasAway {
            logger.error("Denials are not shared now; the last ones stay", [.cause: .text(fault.text)])
        } else if peers.fault == nil, wasAway {
            logger.notice("Denials are shared again", [:])
        }
    }

    /// Saves what others decided, which is in force whether that succeeds or not.
    private func keep() async {
        guard let saved else { return }
        do throws(SavedDenialsFailure) {
            try await saved.write(records)
            savedStamp = await WatchedFile(path: saved.path).stamp()
            wasSaved = true
        } catch {
            logger.error("Denials not saved", [.file: .text(saved.path), .cause: .text(error.description)])
        }
    }

    /// What `/readyz` says of a list that gateways share; nil: none is shared.
    var sharing: Readiness.SharedDenials? {
        peers.map { peers in
            Readiness.SharedDenials(
                isKnown: wasSaved || peers.caughtUpAt != nil, age: peers.caughtUpAt.map { ContinuousClock.now - $0 },
                lastFailure: peers.fault?.text)
        }
    }

    // MARK: Figures

    var figures: DenialFigures {
        let now = Moment.now.date
        let counts = DenySource.allCases.map { ($0, list.table(of: $0).count(at: now)) }
        return DenialFigures(
            counts: Dictionary(counts, uniquingKeysWith: { first, _ in first }),
            fileAge: file == nil ? nil : fileLook.goodAt.map { ContinuousClock.now - $0 },
            fileFailures: fileLook.failures,
            peersAge: sharing?.age)
    }

    // MARK: The admin listener

    /// Answers a request of an operator who may change the list.
    private func answer(_ request: DenialRequest, to caller: DenialCaller) async -> DenialAnswer {
        let answer = await inTurn { await $0.outcome(of: request) }
        logger.stating(caller.members).notice(
            "Deny list asked",
            [
                .action: .text(request.action.rawValue), .status: .number(answer.status),
                .entries: .number(records.count(at: Moment.now.date)),
            ])
        return answer
    }

    /// The service of the admin listener.
    nonisolated var service: DenialService {
        DenialService(
            answer: { await self.answer($0, to: $1) },
            noteRefusal: { [logger] action, caller, status in
                logger.stating(caller.members).warning(
                    "Deny list not shown or changed", [.action: .text(action.rawValue), .status: .number(status)])
            })
    }

    private func outcome(of request: DenialRequest) async -> DenialAnswer {
        guard let saved, isOpen else {
            return .refusal(403, "nothing can be added: the file has no state_directory to keep it in")
        }
        // A handover may be under way.
        await lookAtSaved()
        let now = Moment.now.date
        do throws(DenyProblem) {
            switch request.action {
            case .list: return .list(records.entries(at: now))
            case .add:
                return await add(
                    try DenyEntry(parsing: request.body.span, issuers: issuers, at: now), to: saved, at: now)
            case .remove:
                // Entries about an issuer that left the file are still there.
                let known = issuers.adding(former: records.all.lazy.map(\.entry.issuer))
                return await remove(
                    try DenyEntry(parsing: request.body.span, issuers: known, at: now), from: saved, at: now)
            }
        } catch {
            return .refusal(400, error.description)
        }
    }

    private func add(_ entry: DenyEntry, to saved: SavedDenials, at now: NumericDate) async -> DenialAnswer {
        guard now < entry.expires else { return .refusal(400, "`expires` is over already") }
        var new = records
        new.forget(at: now)
        let decision = new.add(entry, at: now)
        guard new.count(at: now) <= DenialRecords.mostEntries else {
            return .refusal(
                503, "there are \(DenialRecords.mostEntries) entries, and no more are kept; write a deny_file")
        }
        return await put(new, [decision], in: saved) ?? .added(entry)
    }

    private func remove(_ entry: DenyEntry, from saved: SavedDenials, at now: NumericDate) async -> DenialAnswer {
        var new = records
        new.forget(at: now)
        let decisions = new.remove(about: entry, at: now)
        guard !decisions.isEmpty else {
            return .refusal(404, "no such entry was added; entries of deny_file are removed there")
        }
        if peers == nil { new.forgetRemovals() }
        return await put(new, decisions, in: saved) ?? .removed(decisions.count)
    }

    /// Saves what was decided and puts it in force, or neither, and tells others; nil: it is done.
    private func put(_ new: DenialRecords, _ decisions: [DenialRecord], in saved: SavedDenials) async -> DenialAnswer? {
        do throws(SavedDenialsFailure) {
            try await saved.write(new)
        } catch {
            logger.error("Denials not saved", [.file: .text(saved.path), .cause: .text(error.description)])
            return .refusal(503, "it could not be saved, so it is not in force")
        }
        savedStamp = await WatchedFile(path: saved.path).stamp()
        (records, wasSaved) = (new, true)
        guard putEntries() else { return .refusal(503, "the cryptographic library failed") }
        await onChange()
        guard var peers else { return nil }
        let wasAway = peers.fault != nil
        let isTold = await peers.tell(decisions)
        guard self.peers?.settings == peers.settings else { return nil }
        self.peers = peers
        if !isTold { note(peers, wasAway) }
        return isTold
            ? nil
            : .refusal(503, "it is saved and in force here; other gateways hear of it once the shared state answers")
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

/// What a configuration asks about tokens. What is open is always asked about, because a later configuration may deny
/// its tokens.
struct AskedDenials: Sendable {
    let list: DenyList
    let judgesRequests: Bool
}

/// What is known of the deny list, for metrics.
struct DenialFigures: Sendable, Hashable {
    /// Entries that deny something now.
    let counts: [DenySource: Int]
    /// How long ago the list in force was what the file says; nil: there is no file.
    let fileAge: Duration?
    let fileFailures: UInt64
    /// How long ago all that other gateways decided was known; nil: they share nothing, or it never was.
    let peersAge: Duration?
}

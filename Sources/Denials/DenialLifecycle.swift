import AccessControl
import Administration
import Files
import KeySets
import Logging
import Logs
import MetricFamilies
import SharedState
import TokenVerification

/// The deny list of a running gateway: what its sources say now, and what was added while it runs.
///
/// A state machine without clock, file, socket or task: each event returns the actions to carry out, in order. Events
/// about what was saved, added or shared come in turn; those about a configuration and its file come at any time. The
/// rules:
/// * A source that breaks or vanishes leaves its last entries in force. That is logged once, not at every look.
/// * ``fileStamp`` and ``savedStamp`` are from before the last reading, whether that succeeded or not. A file that
///   still has its stamp is not read again.
/// * A look at the file that began under an earlier configuration means nothing.
/// * An added entry is on the disk and in force before it is answered. One that could not be saved is not in force.
/// * Where gateways share decisions, they are told before the answer. If the store does not take it, the answer says
///   so, and the entry stays in force here.
/// * A decision of another gateway is in force at once, whether it can be saved or not. Of two decisions about an entry
///   the later one counts.
/// * The list counts as known once it was on the disk, or the store gave all of it. The first that the store gave is
///   saved, even if it is empty.
/// * The list that another process of this gateway saves replaces this one. After a takeover from a predecessor that
///   was silent it is merged instead, and the result is saved.
/// * Entries about an issuer that left the configuration stay until they are removed or over.
/// * What was denied stays denied under a configuration that lets nobody add entries; then nothing is added or removed.
struct DenialLifecycle: ~Copyable, Sendable {
    enum Action: Sendable {
        /// Save the records, and report ``DenialLifecycle/written(_:_:_:at:)``.
        case save(Change)
        /// Tell other gateways of the decisions, and report ``DenialLifecycle/told(_:_:)``.
        case tell(Change)
        /// Judge requests by this table in place of the source's last one.
        case publish(DenySource, DenyTable)
        /// End what denied tokens have opened.
        case endDenied
        case answer(DenialAnswer)
        case log(Logger.Level, Logger.Message, [LogMember: LogValue])
    }

    /// Records that are to be saved.
    struct Change: Sendable, Hashable {
        let records: DenialRecords
        /// Decisions that other gateways do not know.
        var decisions: [DenialRecord] = []
        /// Answer once it is done. Nil if the records are in force already and nobody waits.
        var answer: DenialAnswer?
    }

    private let digests: DenyDigests
    private(set) var settings: DenialSettings
    /// Number of the configuration, counted from the start.
    private(set) var configuration = 0
    private(set) var records: DenialRecords

    /// Stamp of the file when it was last read, whether it could be used or not.
    private(set) var fileStamp: FileStamp?
    private(set) var isFileBroken = false
    private(set) var fileFailures: UInt64 = 0
    /// Last time that the table in force was what the file says. Nil if there is no file.
    private(set) var fileGoodAt: ContinuousClock.Instant?

    private(set) var savedStamp: FileStamp?
    /// Whether the disk has had a list of this gateway.
    private var wasSaved: Bool
    /// Whether the predecessor may be stuck. What it saves when it goes on is from before, and takes away nothing that
    /// is decided here.
    var isPredecessorSilent = false

    /// Last time that all decisions of other gateways were known here.
    private(set) var caughtUpAt: ContinuousClock.Instant?
    /// Cause why the store does not answer. Nil if it does.
    private(set) var fault: StoreFault?

    /// A lifecycle before its first configuration was taken.
    ///
    /// - Parameter saved: the records on the disk. Nil if none were saved.
    init(_ settings: DenialSettings, _ digests: DenyDigests, saved: DenialRecords?, _ savedStamp: FileStamp?) {
        (self.settings, self.digests, self.savedStamp) = (settings, digests, savedStamp)
        (records, wasSaved) = (saved ?? DenialRecords(), saved != nil)
    }

    /// Whether requests are judged by a list under a configuration. If not, nothing is denied, and nothing can be.
    func judgesRequests(under next: DenialSettings) -> Bool {
        // Where entries can be added now, one may be before the configuration is in place.
        next.file != nil || next.isOpen || !records.isEmpty || settings.isOpen
    }

    /// Whether all that is to be denied was ever known here.
    var isKnown: Bool { wasSaved || caughtUpAt != nil }

    /// Whether entries of the file would mean other tokens under a configuration, or are of another file.
    func replacesFile(_ next: DenialSettings) -> Bool {
        next.file?.path != settings.file?.path || next.issuers != settings.issuers
    }

    /// A configuration is about to be in force, with the list that its requests are judged by.
    mutating func taken(_ next: DenialSettings, at now: Moment) -> [Action] {
        if next.store != settings.store { (caughtUpAt, fault) = (nil, nil) }
        settings = next
        configuration &+= 1
        // It was read for the configuration: the next look reads it again only if it changed since.
        (fileStamp, isFileBroken, fileGoodAt) = (next.reading?.stamp, false, next.reading.map { _ in now.instant })
        let unknown = Set(records.all.map(\.entry.issuer)).filter { next.issuers.lifetime(of: $0) == nil }
        let warnings = unknown.sorted().map {
            Action.log(.warning, "Saved denials name an issuer that the file does not have", [.issuer: .text($0)])
        }
        return [.publish(.file, next.reading?.table ?? .empty)] + publication(at: now) + warnings
    }

    /// Actions that put the records in force. None if the cryptographic library failed.
    private func publication(at now: Moment) -> [Action] {
        var builder = DenyTable.Builder(digests)
        for entry in records.entries(at: now.date) where !builder.add(entry) { return [] }
        return [.publish(.api, builder.table(at: now.date))]
    }

    // MARK: The file

    /// Stamp of the file, and the outcome of reading it. The outcome is nil if the file looked as it did when it was
    /// last read.
    typealias FileLook = (stamp: FileStamp?, outcome: Result<DenialSettings.Reading, DenyFileFailure>?)

    /// The file was looked at.
    ///
    /// - Parameter number: of the configuration when the look began.
    mutating func fileSeen(_ look: FileLook, under number: Int, at now: Moment) -> [Action] {
        guard number == configuration, let path = settings.file?.path else { return [] }
        switch look.outcome {
        case nil:
            if !isFileBroken { fileGoodAt = now.instant }
            return []
        case .success(let reading):
            let wasBroken = isFileBroken
            (fileStamp, isFileBroken, fileGoodAt) = (reading.stamp, false, now.instant)
            let count = LogValue.number(reading.table.count(at: now.date))
            return (wasBroken ? [.log(.notice, "The deny list can be read again", [.file: .text(path)])] : []) + [
                .publish(.file, reading.table),
                .log(.notice, "Deny list read", [.file: .text(path), .entries: count]), .endDenied,
            ]
        case .failure(.unreadable(let cause)): return broken(look.stamp, [.file: .text(path), .cause: .text(cause)])
        case .failure(.problems(let problems, let count)):
            guard let first = problems.first else { return broken(look.stamp, [.file: .text(path)]) }
            let cause = LogValue.text(first.problem.message)
            return broken(
                look.stamp,
                [.file: .text(path), .cause: cause, .line: .number(first.line), .errors: .number(count)])
        }
    }

    private mutating func broken(_ stamp: FileStamp?, _ facts: [LogMember: LogValue]) -> [Action] {
        (fileStamp, isFileBroken) = (stamp, true)
        fileFailures &+= 1
        return [.log(.error, "Deny list not read; the last one stays", facts)]
    }

    // MARK: The disk

    private var savedFile: LogValue { .text(settings.saved?.path ?? "") }

    /// Stamp of the file of saved denials, and what it had. The records are nil if there is no such file.
    typealias SavedLook = (stamp: FileStamp?, outcome: Result<DenialRecords?, DenyProblem>)

    /// The file of saved denials looked other than before and was read. Another process of this gateway, which hands
    /// over or takes over, may have added some.
    mutating func savedSeen(_ look: SavedLook, at now: Moment) -> [Action] {
        savedStamp = look.stamp
        switch look.outcome {
        case .success(let read?):
            var known = read
            if isPredecessorSilent {
                for record in records.all { _ = known.merge(record) }
                known.forget(at: now.date)
            }
            records = known
            return publication(at: now) + [.endDenied] + (known == read ? [] : [.save(Change(records: known))])
        case .success(nil): return [.log(.error, "Saved denials are gone; the last ones stay", [.file: savedFile])]
        case .failure(let failure):
            let facts: [LogMember: LogValue] = [.file: savedFile, .cause: .text(failure.description)]
            return [.log(.error, "Saved denials not read; the last ones stay", facts)]
        }
    }

    /// The records of a change are on the disk, or could not be saved.
    mutating func written(_ change: Change, _ failure: DenyProblem?, _ stamp: FileStamp?, at now: Moment) -> [Action] {
        if let failure {
            let facts: [LogMember: LogValue] = [.file: savedFile, .cause: .text(failure.description)]
            return [.log(.error, "Denials not saved", facts)] + (change.answer == nil ? [] : [.answer(.notInForce)])
        }
        (savedStamp, wasSaved) = (stamp, true)
        guard let answer = change.answer else { return [] }
        records = change.records
        let publication = publication(at: now)
        guard !publication.isEmpty else { return [.answer(.refusal(503, "the cryptographic library failed"))] }
        return publication + [.endDenied, settings.store == nil ? .answer(answer) : .tell(change)]
    }

    // MARK: Other gateways

    /// The store gave what others decided and took what they may not know.
    ///
    /// - Parameters:
    ///   - taken: all that was read, also if the store failed then.
    ///   - fault: nil if it did not fail.
    mutating func peersAnswered(_ taken: [DenialRecord], _ fault: StoreFault?, at now: Moment) -> [Action] {
        var actions = noted(fault)
        if fault == nil { caughtUpAt = now.instant }
        var merged = records
        let news = taken.filter { now.date < $0.entry.expires && merged.merge($0) }
        merged.forget(at: now.date)
        if !news.isEmpty {
            records = merged
            actions += publication(at: now) + [.endDenied]
            actions += [.log(.notice, "Denials of other gateways taken over", [.entries: .number(news.count)])]
        }
        return !news.isEmpty || !wasSaved && caughtUpAt != nil ? actions + [.save(Change(records: records))] : actions
    }

    /// The store took the decisions of a change, or did not.
    ///
    /// - Parameter fault: nil if it did, or if nobody shares them any more.
    mutating func told(_ change: Change, _ fault: StoreFault?) -> [Action] {
        guard let answer = change.answer else { return [] }
        return fault == nil ? [.answer(answer)] : noted(fault) + [.answer(.untold)]
    }

    private mutating func noted(_ fault: StoreFault?) -> [Action] {
        let wasAway = self.fault != nil
        self.fault = fault
        guard wasAway != (fault != nil) else { return [] }
        guard let fault else { return [.log(.notice, "Denials are shared again", [:])] }
        return [.log(.error, "Denials are not shared now; the last ones stay", [.cause: .text(fault.text)])]
    }

    // MARK: The operator

    /// An operator asks, after what another process saved was taken over.
    func asked(_ request: DenialRequest, at now: NumericDate) -> Action {
        guard settings.isOpen else {
            return .answer(.refusal(403, "nothing can be added: the file has no state_directory to keep it in"))
        }
        guard request.action != .list else { return .answer(.list(records.entries(at: now))) }
        // Entries about an issuer that left the file are still there.
        let former = request.action == .remove ? records.all.map(\.entry.issuer) : []
        let issuers = settings.issuers.adding(former: former)
        var new = records
        new.forget(at: now)
        do throws(DenyProblem) {
            let entry = try DenyEntry(parsing: request.body.span, issuers: issuers, at: now)
            return request.action == .add ? added(entry, &new, at: now) : removed(entry, &new, at: now)
        } catch {
            return .answer(.refusal(400, error.description))
        }
    }

    private func added(_ entry: DenyEntry, _ new: inout DenialRecords, at now: NumericDate) -> Action {
        guard now < entry.expires else { return .answer(.refusal(400, "`expires` is over already")) }
        let decision = new.add(entry, at: now)
        guard new.count(at: now) <= DenialRecords.mostEntries else {
            let words = "there are \(DenialRecords.mostEntries) entries, and no more are kept; write a deny_file"
            return .answer(.refusal(503, words))
        }
        return .save(Change(records: new, decisions: [decision], answer: .added(entry)))
    }

    private func removed(_ entry: DenyEntry, _ new: inout DenialRecords, at now: NumericDate) -> Action {
        let decisions = new.remove(about: entry, at: now)
        guard !decisions.isEmpty else {
            return .answer(.refusal(404, "no such entry was added; entries of deny_file are removed there"))
        }
        if settings.store == nil { new.forgetRemovals() }
        return .save(Change(records: new, decisions: decisions, answer: .removed(decisions.count)))
    }

    // MARK: Metrics

    /// Metrics of the list. They have no values if requests are judged by none.
    ///
    /// - Parameter table: the entries of a source that requests are judged by.
    func families(at now: Moment, table: (DenySource) -> DenyTable) -> [MetricFamily] {
        let isUsed = judgesRequests(under: settings)
        func seconds(since time: ContinuousClock.Instant?) -> Double? {
            isUsed ? time.map { $0.duration(to: now.instant) / .seconds(1) } : nil
        }
        return [
            .gauge(
                "bearward_deny_list_entries",
                "Entries of the deny list that are in force, by source: the file, or the admin listener.",
                isUsed
                    ? DenySource.allCases.map {
                        MetricFamily.Sample(table($0).count(at: now.date), [("source", $0.rawValue)])
                    } : []),
            .gauge(
                "bearward_deny_list_age_seconds",
                "Seconds since the list in force was what `deny_file` says; it grows while the file is broken or gone.",
                seconds(since: fileGoodAt)),
            .gauge(
                "bearward_deny_list_shared_age_seconds",
                "Seconds since all denials were known that other gateways share; it grows while `shared_state` does not answer.",
                seconds(since: caughtUpAt)),
            .counter(
                "bearward_deny_list_errors_total",
                "Times that `deny_file` was found broken or gone, so that the last list stayed.",
                isUsed ? fileFailures : nil),
        ]
    }
}

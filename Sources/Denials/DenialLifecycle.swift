import AccessControl
import Administration
import Files
import KeySets
import Logging
import Logs
import MetricFamilies
import SharedState
import TokenVerification

/// The deny list of a running gateway: the entries of its sources, and those that were added while it runs.
///
/// A state machine without clock, file, socket or task: each event returns the actions to carry out, in order. Events
/// about saving, adding and sharing must come one after another. Events about a configuration and its file may come at
/// any time. The rules:
/// - If a source becomes unreadable or is deleted, its last entries stay in force. That is logged once, not at every
///   check.
/// - ``fileStamp`` and ``savedStamp`` are taken before a file is read, whether reading succeeds or not. A file that
///   still has its stamp is not read again.
/// - A check of the file that began under an earlier configuration is ignored.
/// - An added entry is on disk and in force before the request is answered. An entry that could not be saved is not in
///   force.
/// - If gateways share decisions, the store gets the entry before the answer. If the store fails, the answer says so,
///   and the entry stays in force here.
/// - A decision of another gateway is in force at once, even if it cannot be saved. Of two decisions about an entry,
///   the later one wins.
/// - The list is known once it was saved on disk, or once the store has returned all of it. The first list from the
///   store is saved, even if it is empty.
/// - A list that another process of this gateway saves replaces this one. After a takeover from a silent predecessor it
///   is merged instead, and the result is saved.
/// - Entries about an issuer that is no longer configured stay until they are removed or expire.
/// - Denied tokens stay denied under a configuration that does not permit changes; then nothing is added or removed.
struct DenialLifecycle: ~Copyable, Sendable {
    enum Action: Sendable {
        /// Save the records, then call ``DenialLifecycle/written(_:_:_:at:)``.
        case save(Change)
        /// Share the decisions with other gateways, then call ``DenialLifecycle/told(_:_:)``.
        case tell(Change)
        /// Check requests against this table instead of the source's last one.
        case publish(DenySource, DenyTable)
        /// End the streams that denied tokens have opened.
        case endDenied
        case answer(DenialAnswer)
        case log(Logger.Level, Logger.Message, [LogMember: LogValue])
    }

    /// Records to save, with the answer that follows.
    struct Change: Sendable, Hashable {
        let records: DenialRecords
        /// Decisions to share with other gateways.
        var decisions: [DenialRecord] = []
        /// Answer to send when the records are saved and shared. Nil if the records are in force already and no request
        /// waits.
        var answer: DenialAnswer?
    }

    private let digests: DenyDigests
    private(set) var settings: DenialSettings
    /// Number of the configuration, counted from the start of the process.
    private(set) var configuration = 0
    private(set) var records: DenialRecords

    /// Stamp of the deny file when it was last read, whether it was valid or not. Nil if there is no deny file, or it
    /// could not be examined.
    private(set) var fileStamp: FileStamp?
    private(set) var isFileBroken = false
    private(set) var fileFailures: UInt64 = 0
    /// Last time that the table in force had the content of the file. Nil if there is no file.
    private(set) var fileGoodAt: ContinuousClock.Instant?

    private(set) var savedStamp: FileStamp?
    /// Whether a list of this gateway was ever saved on disk.
    private var wasSaved: Bool
    /// Whether the predecessor process may be hung. If it resumes, the list it saves is outdated and must not undo
    /// decisions made here.
    var isPredecessorSilent = false

    /// Last time that all decisions of other gateways were known here. Nil if they never were.
    private(set) var caughtUpAt: ContinuousClock.Instant?
    /// Failure of the last exchange with the store. Nil if it succeeded.
    private(set) var fault: StoreFault?

    /// Makes a lifecycle, to which `taken(_:at:)` must then give its first configuration.
    ///
    /// - Parameter saved: records on the disk. Nil if none were saved.
    init(_ settings: DenialSettings, _ digests: DenyDigests, saved: DenialRecords?, _ savedStamp: FileStamp?) {
        (self.settings, self.digests, self.savedStamp) = (settings, digests, savedStamp)
        (records, wasSaved) = (saved ?? DenialRecords(), saved != nil)
    }

    /// Whether requests are checked against a list under a configuration. If not, no token is denied, and no entry can
    /// be added.
    func judgesRequests(under next: DenialSettings) -> Bool {
        // If entries can be added now, one may be added before the next configuration is in force.
        next.file != nil || next.isOpen || !records.isEmpty || settings.isOpen
    }

    /// Whether the complete list was ever known here, from the disk or from the store.
    var isKnown: Bool { wasSaved || caughtUpAt != nil }

    /// Whether a configuration has another deny file, or other issuers, so that the file's entries mean other tokens.
    func replacesFile(_ next: DenialSettings) -> Bool {
        next.file?.path != settings.file?.path || next.issuers != settings.issuers
    }

    /// Handles a new configuration, just before it is in force, with its deny file's table.
    mutating func taken(_ next: DenialSettings, at now: Moment) -> [Action] {
        if next.store != settings.store { (caughtUpAt, fault) = (nil, nil) }
        settings = next
        configuration &+= 1
        // The file was read with the configuration. The next check reads it again only if it has changed since.
        (fileStamp, isFileBroken, fileGoodAt) = (next.reading?.stamp, false, next.reading.map { _ in now.instant })
        let unknown = Set(records.all.map(\.entry.issuer)).filter { next.issuers.lifetime(of: $0) == nil }
        let warnings = unknown.sorted().map {
            Action.log(.warning, "Saved denials name an issuer that is not in the file", [.issuer: .text($0)])
        }
        return [.publish(.file, next.reading?.table ?? .empty)] + publication(at: now) + warnings
    }

    /// Actions that put the records in force. Empty if the cryptographic library failed.
    private func publication(at now: Moment) -> [Action] {
        var builder = DenyTable.Builder(digests)
        for entry in records.entries(at: now.date) where !builder.add(entry) { return [] }
        return [.publish(.api, builder.table(at: now.date))]
    }

    // MARK: The deny file

    /// Result of a check of the deny file: its stamp, and the outcome of reading it. The outcome is nil if the file has
    /// not changed since it was last read.
    typealias FileLook = (stamp: FileStamp?, outcome: Result<DenialSettings.Reading, DenyFileFailure>?)

    /// Handles the result of a check of the deny file.
    ///
    /// - Parameter number: number of the configuration when the check began.
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
        return [.log(.error, "Deny list not read; the previous one stays in force", facts)]
    }

    // MARK: The disk

    private var savedFile: LogValue { .text(settings.saved?.path ?? "") }

    /// Result of reading the file of saved denials: its stamp and its records. The records are nil if there is no such
    /// file.
    typealias SavedLook = (stamp: FileStamp?, outcome: Result<DenialRecords?, DenyProblem>)

    /// Handles a changed file of saved denials. Another process of this gateway, predecessor or successor, may have
    /// added entries.
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
        case .success(nil):
            return [
                .log(.error, "File of saved denials missing; the present entries stay in force", [.file: savedFile])
            ]
        case .failure(let failure):
            let facts: [LogMember: LogValue] = [.file: savedFile, .cause: .text(failure.description)]
            return [.log(.error, "File of saved denials not read; the present entries stay in force", facts)]
        }
    }

    /// Handles the result of saving a change's records.
    ///
    /// - Parameters:
    ///   - failure: the problem. Nil if they are saved.
    ///   - stamp: stamp of the file afterwards.
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

    /// Handles an exchange with the store, in which decisions were read and unknown ones written.
    ///
    /// - Parameters:
    ///   - taken: all decisions that were read, even if the store failed afterwards.
    ///   - fault: failure of the store. Nil if it did not fail.
    mutating func peersAnswered(_ taken: [DenialRecord], _ fault: StoreFault?, at now: Moment) -> [Action] {
        var actions = noted(fault)
        if fault == nil { caughtUpAt = now.instant }
        var merged = records
        let news = taken.filter { now.date < $0.entry.expires && merged.merge($0) }
        merged.forget(at: now.date)
        if !news.isEmpty {
            records = merged
            actions += publication(at: now) + [.endDenied]
            actions += [.log(.notice, "Denials received from other gateways", [.entries: .number(news.count)])]
        }
        return !news.isEmpty || !wasSaved && caughtUpAt != nil ? actions + [.save(Change(records: records))] : actions
    }

    /// Handles the result of sharing a change's decisions.
    ///
    /// - Parameter fault: failure of the store. Nil if it stored them, or if decisions are not shared any more.
    mutating func told(_ change: Change, _ fault: StoreFault?) -> [Action] {
        guard let answer = change.answer else { return [] }
        return fault == nil ? [.answer(answer)] : noted(fault) + [.answer(.untold)]
    }

    private mutating func noted(_ fault: StoreFault?) -> [Action] {
        let wasAway = self.fault != nil
        self.fault = fault
        guard wasAway != (fault != nil) else { return [] }
        guard let fault else { return [.log(.notice, "Denials are shared again", [:])] }
        return [
            .log(.error, "Denials cannot be shared now; the present entries stay in force", [.cause: .text(fault.text)])
        ]
    }

    // MARK: The operator

    /// Handles an operator's request. Entries saved by another process must have been read before.
    func asked(_ request: DenialRequest, at now: NumericDate) -> Action {
        guard settings.isOpen else {
            return .answer(.refusal(403, "nothing can be added: the file has no state_directory to keep it in"))
        }
        guard request.action != .list else { return .answer(.list(records.entries(at: now))) }
        var new = records
        new.forget(at: now)
        do throws(DenyProblem) {
            let entry = try entry(of: request, at: now)
            return request.action == .add ? added(entry, &new, at: now) : removed(entry, &new, at: now)
        } catch {
            return .answer(.refusal(400, error.description))
        }
    }

    /// Entry that a request to add or remove one names.
    func entry(of request: DenialRequest, at now: NumericDate) throws(DenyProblem) -> DenyEntry {
        // Entries about an issuer that is no longer in the file still exist, and can be removed.
        let former = request.action == .remove ? records.all.map(\.entry.issuer) : []
        return try DenyEntry(parsing: request.body.span, issuers: settings.issuers.adding(former: former), at: now)
    }

    private func added(_ entry: DenyEntry, _ new: inout DenialRecords, at now: NumericDate) -> Action {
        guard now < entry.expires else { return .answer(.refusal(400, "`expires` is in the past")) }
        let decision = new.add(entry, at: now)
        guard new.count(at: now) <= DenialRecords.mostEntries else {
            let words = "the maximum of \(DenialRecords.mostEntries) entries is reached; use a deny_file"
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

    /// Metrics of the list. They have no values if requests are not checked against a list.
    ///
    /// - Parameter table: returns the table in force of a source.
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
                "Seconds since the list in force last matched `deny_file`; grows while the file is invalid or missing.",
                seconds(since: fileGoodAt)),
            .gauge(
                "bearward_deny_list_shared_age_seconds",
                "Seconds since all denials of other gateways were known; grows while `shared_state` does not answer.",
                seconds(since: caughtUpAt)),
            .counter(
                "bearward_deny_list_errors_total",
                "Failed readings of `deny_file`, after which the previous list stayed in force.",
                isUsed ? fileFailures : nil),
        ]
    }
}

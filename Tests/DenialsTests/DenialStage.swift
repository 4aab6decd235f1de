import AccessControl
import Files
import JOSE
import KeySets
import SharedState
import Testing
import TokenVerification

@testable import Administration
@testable import Denials

/// A lifecycle with a disk, a store and a clock that the test controls, and the deny list that judges requests.
final class DenialStage {
    static let store = StoreSettings(host: "127.0.0.1", port: 6379, secret: Array(repeating: 7, count: 32))
    /// Stamps of three different files.
    static let stamps = ["/", "/dev", "/proc"].compactMap { FileStamp($0) }

    var lifecycle: DenialLifecycle
    let digests: DenyDigests
    let list: DenyList
    private(set) var now = Moment(instant: .now, date: NumericDate(seconds: 1_790_000_000))

    /// Records on the disk, and whether it is full. The records are nil if nothing was saved.
    var disk: DenialRecords?
    var isDiskFull = false
    /// Decisions written to the store, and the fault that it answers with. The fault is nil if the store works.
    private(set) var told: [DenialRecord] = []
    var fault: StoreFault?
    /// Names of the executed actions, and the logged messages.
    private(set) var steps: [String] = []
    private(set) var messages: [String] = []

    init(_ settings: DenialSettings = settings(), saved: DenialRecords? = nil) throws {
        digests = DenyDigests(try #require(TokenDigestKey()))
        list = DenyList(digests)
        disk = saved
        lifecycle = DenialLifecycle(settings, digests, saved: saved, nil)
        take(settings)
    }

    static func settings(
        issuers: [String] = ["logto"], reading: DenialSettings.Reading? = nil, isOpen: Bool = true,
        store: StoreSettings? = nil
    ) -> DenialSettings {
        let trusted = issuers.map {
            TrustedIssuer(name: $0, identifier: "https://\($0).example", algorithms: .all, tokenType: .accessTokenJWT)
        }
        return DenialSettings(
            file: ("/list", { _, _ throws(DenyFileFailure) in throw .unreadable("nobody reads it") }), reading: reading,
            issuers: DenyIssuers(trusted), stateDirectory: "/state", isOpen: isOpen, store: store)
    }

    // MARK: Events

    func take(_ settings: DenialSettings) {
        perform(lifecycle.taken(settings, at: now))
    }

    @discardableResult
    func ask(_ action: DenialAction, _ subject: String = "", issuer: String = "logto") -> DenialAnswer? {
        let body = action == .list ? "" : #"{"issuer":"\#(issuer)","sub":"\#(subject)"}"#
        return perform([lifecycle.asked(DenialRequest(action: action, body: Array(body.utf8)), at: now.date)])
    }

    func seeFile(_ stamp: FileStamp?, _ outcome: Result<DenyTable, DenyFileFailure>?, under number: Int? = nil) {
        let outcome = outcome?.map { table -> DenialSettings.Reading in (table, stamp) }
        perform(lifecycle.fileSeen((stamp, outcome), under: number ?? lifecycle.configuration, at: now))
    }

    func seeSaved(_ outcome: Result<DenialRecords?, DenyProblem>) {
        if case .success(let read) = outcome { disk = read }
        perform(lifecycle.savedSeen((Self.stamps.first, outcome), at: now))
    }

    func hear(_ taken: [DenialRecord], _ fault: StoreFault? = nil) {
        perform(lifecycle.peersAnswered(taken, fault, at: now))
    }

    func pass(_ span: Duration) { now = now.advanced(by: span) }

    // MARK: Values

    func entry(_ subject: String) -> DenyEntry {
        DenyEntry(issuer: "logto", .subject, subject, expires: now.date + .seconds(600))
    }

    /// Decision of another process, made now.
    func decision(_ subject: String, isRemoved: Bool = false) -> DenialRecord {
        DenialRecord(entry(subject), decidedAt: UInt64(now.date.seconds * 1_000_000), isRemoved: isRemoved)
    }

    func records(_ subjects: [String]) -> DenialRecords {
        var records = DenialRecords()
        for subject in subjects { _ = records.add(entry(subject), at: now.date) }
        return records
    }

    func table(_ subjects: [String]) -> DenyTable {
        var builder = DenyTable.Builder(digests)
        for subject in subjects { _ = builder.add(entry(subject)) }
        return builder.table(at: now.date)
    }

    // MARK: What came of it

    var isKnown: Bool { lifecycle.isKnown }

    func judgesRequests(under settings: DenialSettings) -> Bool { lifecycle.judgesRequests(under: settings) }

    func replacesFile(_ settings: DenialSettings) -> Bool { lifecycle.replacesFile(settings) }

    func denies(_ subject: String) -> Bool {
        var marks = DenyMarks()
        marks[.subject] = digests.mark("logto", .subject, subject) ?? 0
        return list.attribute(denying: marks, at: now.date) != nil
    }

    func saves(_ subject: String) -> Bool {
        disk?.entries(at: now.date).contains { $0.value == subject } ?? false
    }

    /// Steps since the last call.
    func takeSteps() -> [String] {
        defer { steps = [] }
        return steps
    }

    /// Executes actions as the register does.
    @discardableResult
    private func perform(_ actions: [DenialLifecycle.Action]) -> DenialAnswer? {
        var answer: DenialAnswer?
        for action in actions {
            switch action {
            case .save(let change):
                steps.append("save")
                if !isDiskFull { disk = change.records }
                let failure = isDiskFull ? DenyProblem("the disk is full") : nil
                answer = perform(lifecycle.written(change, failure, Self.stamps.first, at: now))
            case .tell(let change):
                steps.append("tell")
                if fault == nil { told += change.decisions }
                answer = perform(lifecycle.told(change, fault))
            case .publish(let source, let table):
                steps.append("publish \(source)")
                list.replace(source, by: table)
            case .endDenied: steps.append("end")
            case .answer(let given):
                steps.append("answer \(given.status)")
                answer = given
            case .log(_, let message, _): messages.append("\(message)")
            }
        }
        return answer
    }
}

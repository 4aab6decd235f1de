import AccessControl
import KeySets
import SharedState
import Testing

@testable import Administration
@testable import Denials

/// The rules of a deny list's lifecycle, one test each.
@Suite struct DenialLifecycleTests {
    private static let broken = Result<DenyTable, DenyFileFailure>.failure(.unreadable("it is broken"))

    // MARK: The file

    @Test func `a deny file that breaks or vanishes keeps its last entries in force, and its age grows`() throws {
        let stage = try DenialStage()
        stage.seeFile(DenialStage.stamps[0], .success(stage.table(["f1"])))
        #expect(stage.denies("f1") && stage.takeSteps().suffix(2) == ["publish file", "end"])
        let goodAt = stage.lifecycle.fileGoodAt
        for (stamp, failures) in [(DenialStage.stamps[1], 1), (nil, 2)] {
            stage.pass(.seconds(1))
            stage.seeFile(stamp, Self.broken)
            stage.seeFile(stamp, nil)
            #expect(stage.denies("f1") && stage.lifecycle.fileFailures == failures)
            #expect(stage.lifecycle.fileStamp == stamp && stage.lifecycle.fileGoodAt == goodAt)
        }
        #expect(
            stage.messages.count { $0 == "Deny list not read; the previous one stays in force" } == 2
                && stage.takeSteps().isEmpty)
        stage.seeFile(DenialStage.stamps[2], .success(stage.table(["f2"])))
        #expect(!stage.denies("f1") && stage.denies("f2") && stage.lifecycle.fileGoodAt == stage.now.instant)
        #expect(stage.messages.suffix(2) == ["The deny list can be read again", "Deny list read"])
    }

    @Test func `a deny file with an unchanged stamp counts as read again`() throws {
        let stage = try DenialStage()
        stage.seeFile(DenialStage.stamps[0], .success(stage.table(["f1"])))
        _ = stage.takeSteps()
        stage.pass(.seconds(1))
        stage.seeFile(DenialStage.stamps[0], nil)
        #expect(stage.lifecycle.fileGoodAt == stage.now.instant && stage.takeSteps().isEmpty && stage.denies("f1"))
    }

    @Test func `a read of the deny file that began under an earlier configuration is ignored`() throws {
        let stage = try DenialStage()
        let number = stage.lifecycle.configuration
        stage.take(DenialStage.settings(reading: (stage.table(["f2"]), DenialStage.stamps[1])))
        _ = stage.takeSteps()
        for outcome in [.success(stage.table(["f1"])), Self.broken] {
            stage.seeFile(DenialStage.stamps[0], outcome, under: number)
        }
        #expect(!stage.denies("f1") && stage.denies("f2") && stage.takeSteps().isEmpty)
        #expect(stage.lifecycle.fileStamp == DenialStage.stamps[1] && stage.lifecycle.fileFailures == 0)
    }

    @Test func `the deny file's entries are replaced if its path or the issuers changed, and kept otherwise`() throws {
        let stage = try DenialStage()
        #expect(!stage.replacesFile(DenialStage.settings(isOpen: false, store: DenialStage.store)))
        #expect(stage.replacesFile(DenialStage.settings(issuers: ["logto", "other"])))
        let none = DenialSettings(
            file: nil, reading: nil, issuers: DenialStage.settings().issuers, stateDirectory: nil, isOpen: false,
            store: nil)
        #expect(stage.replacesFile(none))
    }

    // MARK: The operator

    @Test func `an added entry is saved and in force before the request is answered`() throws {
        let stage = try DenialStage()
        _ = stage.takeSteps()
        #expect(stage.ask(.add, "u1")?.status == 200 && stage.denies("u1") && stage.saves("u1"))
        #expect(stage.takeSteps() == ["save", "publish api", "end", "answer 200"])
        #expect(stage.ask(.remove, "u1") == .removed(1) && !stage.denies("u1") && !stage.saves("u1"))
        #expect(stage.takeSteps() == ["save", "publish api", "end", "answer 200"])
        #expect(stage.disk?.all.isEmpty == true, "nobody else has to hear of the removal")
        #expect(stage.ask(.remove, "u1")?.status == 404 && stage.takeSteps() == ["answer 404"])
    }

    @Test func `a change that could not be saved is not in force, and earlier entries stay`() throws {
        let stage = try DenialStage()
        stage.ask(.add, "u1")
        stage.isDiskFull = true
        _ = stage.takeSteps()
        #expect(stage.ask(.add, "u2") == .notInForce && !stage.denies("u2"))
        #expect(stage.ask(.remove, "u1") == .notInForce && stage.denies("u1"))
        #expect(stage.takeSteps() == ["save", "answer 503", "save", "answer 503"])
        #expect(stage.messages == ["Denials not saved", "Denials not saved"])
        #expect(stage.ask(.list) == .list(stage.lifecycle.records.entries(at: stage.now.date)))
    }

    @Test func `other gateways are notified before the answer, which reports a failed notification`() throws {
        let stage = try DenialStage(DenialStage.settings(store: DenialStage.store))
        _ = stage.takeSteps()
        #expect(stage.ask(.add, "u1")?.status == 200 && stage.told.map(\.entry.value) == ["u1"])
        #expect(stage.takeSteps() == ["save", "publish api", "end", "tell", "answer 200"])
        stage.fault = .silent
        #expect(stage.ask(.add, "u2") == .untold && stage.denies("u2") && stage.saves("u2"))
        #expect(stage.lifecycle.fault == .silent)
        #expect(stage.messages == ["Denials cannot be shared now; the present entries stay in force"])
        #expect(stage.ask(.add, "u3") == .untold && stage.messages.count == 1, "it is logged once")
        stage.hear([])
        #expect(stage.lifecycle.fault == nil && stage.messages.last == "Denials are shared again")
    }

    @Test func `an invalid or expired entry, or one of an unknown issuer, changes nothing`() throws {
        let stage = try DenialStage()
        _ = stage.takeSteps()
        let over = #"{"issuer":"logto","sub":"u1","expires":1}"#
        for body in ["", "[]", #"{"issuer":"logto"}"#, #"{"issuer":"other","sub":"u1"}"#, over] {
            let request = DenialRequest(action: .add, body: Array(body.utf8))
            guard case .answer(let answer) = stage.lifecycle.asked(request, at: stage.now.date) else {
                Issue.record("\(body) is taken")
                continue
            }
            #expect(answer.status == 400, "\(body)")
        }
        #expect(stage.lifecycle.records.isEmpty && stage.takeSteps().isEmpty)
    }

    @Test func `an entry beyond the maximum is refused until another is removed`() throws {
        let stage = try DenialStage()
        let most = stage.records((1...DenialRecords.mostEntries).map { "u\($0)" })
        stage.seeSaved(.success(most))
        #expect(stage.ask(.add, "one more")?.status == 503 && !stage.denies("one more"))
        #expect(stage.ask(.add, "u1")?.status == 200, "it is there already")
        #expect(stage.ask(.remove, "u1")?.status == 200 && stage.ask(.add, "one more")?.status == 200)
    }

    @Test func `entries of an issuer that left the configuration stay until they are removed`() throws {
        let stage = try DenialStage()
        stage.ask(.add, "u1")
        stage.take(DenialStage.settings(issuers: ["other"]))
        #expect(stage.messages == ["Saved denials name an issuer that is not in the file"])
        #expect(stage.denies("u1") && stage.ask(.add, "u2")?.status == 400)
        #expect(stage.ask(.remove, "u1")?.status == 200 && !stage.denies("u1"))
    }

    @Test func `after additions are disabled, saved entries still deny tokens`() throws {
        let stage = try DenialStage()
        let closed = DenialStage.settings(isOpen: false, store: DenialStage.store)
        stage.ask(.add, "u1")
        stage.take(closed)
        #expect(stage.denies("u1") && stage.judgesRequests(under: closed) && closed.store == nil)
        for action in DenialAction.allCases { #expect(stage.ask(action, "u1")?.status == 403) }
        stage.seeFile(DenialStage.stamps[0], .success(.empty))
        #expect(stage.denies("u1") && stage.saves("u1"))
    }

    @Test func `without any source of denials, requests are not checked and changes are refused`() throws {
        let none = DenialSettings(
            file: nil, reading: nil, issuers: DenialStage.settings().issuers, stateDirectory: "/state", isOpen: false,
            store: nil)
        let stage = try DenialStage(none)
        #expect(!stage.judgesRequests(under: none))
        #expect(stage.judgesRequests(under: DenialStage.settings(isOpen: false)), "it names a file")
        stage.take(DenialStage.settings())
        #expect(stage.judgesRequests(under: none), "an entry may be added before it is in place")
    }

    // MARK: Another process of this gateway

    @Test func `a list saved by another process replaces the one in memory`() throws {
        let stage = try DenialStage()
        stage.ask(.add, "u1")
        _ = stage.takeSteps()
        stage.pass(.seconds(1))
        stage.seeSaved(.success(stage.records(["u2"])))
        #expect(!stage.denies("u1") && stage.denies("u2") && stage.takeSteps() == ["publish api", "end"])
        #expect(stage.lifecycle.savedStamp == DenialStage.stamps.first)
    }

    @Test func `a list that a silent predecessor saves late is merged and saved again, and loses no entry`() throws {
        let stage = try DenialStage()
        stage.lifecycle.isPredecessorSilent = true
        stage.ask(.add, "u1")
        stage.ask(.add, "u2")
        _ = stage.takeSteps()
        let late = stage.records(["u3"])
        stage.seeSaved(.success(late))
        #expect(["u1", "u2", "u3"].allSatisfy { stage.denies($0) && stage.saves($0) })
        #expect(stage.takeSteps() == ["publish api", "end", "save"])
        stage.seeSaved(.success(stage.lifecycle.records))
        #expect(stage.takeSteps() == ["publish api", "end"], "it has all of it")
    }

    @Test(arguments: [.success(nil), .failure(DenyProblem("it is broken"))] as [Result<DenialRecords?, DenyProblem>])
    func `saved entries that vanish or break stay in force, and are saved with the next change`(
        _ outcome: Result<DenialRecords?, DenyProblem>
    ) throws {
        let stage = try DenialStage()
        stage.ask(.add, "u1")
        _ = stage.takeSteps()
        stage.seeSaved(outcome)
        #expect(stage.denies("u1") && stage.takeSteps().isEmpty && stage.messages.count == 1)
        #expect(stage.ask(.add, "u2")?.status == 200 && stage.saves("u1") && stage.saves("u2"))
    }

    // MARK: Other gateways

    @Test func `a decision of another gateway is in force at once, even if it cannot be saved`() throws {
        let stage = try DenialStage(DenialStage.settings(store: DenialStage.store))
        _ = stage.takeSteps()
        stage.isDiskFull = true
        stage.hear([stage.decision("p1")])
        #expect(stage.denies("p1") && stage.takeSteps() == ["publish api", "end", "save"])
        #expect(stage.messages == ["Denials received from other gateways", "Denials not saved"])
        stage.isDiskFull = false
        stage.hear([stage.decision("p2")], .silent)
        #expect(
            stage.denies("p2") && stage.saves("p1") && stage.saves("p2"), "what was read before the store failed counts"
        )
        stage.hear([stage.decision("p2")])
        #expect(stage.takeSteps() == ["publish api", "end", "save"], "it is no news")
    }

    @Test func `the later of two decisions about an entry counts, and an expired decision is ignored`() throws {
        let stage = try DenialStage(DenialStage.settings(store: DenialStage.store))
        let early = stage.decision("u1", isRemoved: true)
        stage.pass(.seconds(1))
        stage.ask(.add, "u1")
        stage.hear([early])
        #expect(stage.denies("u1"))
        stage.pass(.seconds(1))
        stage.hear([stage.decision("u1", isRemoved: true)])
        #expect(!stage.denies("u1"))
        let old = stage.decision("u2")
        stage.pass(.seconds(600))
        stage.hear([old])
        #expect(!stage.lifecycle.records.all.contains(old))
    }

    @Test
    func `the deny list is complete once loaded or received, and the first received list is saved even if empty`()
        throws
    {
        let stage = try DenialStage(DenialStage.settings(store: DenialStage.store))
        _ = stage.takeSteps()
        stage.hear([], .silent)
        #expect(!stage.isKnown && stage.takeSteps().isEmpty && stage.lifecycle.caughtUpAt == nil)
        stage.hear([])
        #expect(
            stage.isKnown && stage.takeSteps() == ["save"] && stage.lifecycle.caughtUpAt == stage.now.instant)
        stage.hear([])
        #expect(stage.takeSteps().isEmpty)
        let restarted = try DenialStage(DenialStage.settings(store: DenialStage.store), saved: stage.disk)
        #expect(restarted.isKnown)
    }

    @Test func `a change of the store makes the shared list unknown, and the same store keeps it`() throws {
        let stage = try DenialStage(DenialStage.settings(store: DenialStage.store))
        stage.hear([])
        stage.hear([], .silent)
        stage.take(DenialStage.settings(store: DenialStage.store))
        #expect(stage.lifecycle.caughtUpAt != nil && stage.lifecycle.fault == .silent)
        stage.take(DenialStage.settings(store: StoreSettings(host: "::1", port: 1, secret: DenialStage.store.secret)))
        #expect(stage.lifecycle.caughtUpAt == nil && stage.lifecycle.fault == nil)
    }
}

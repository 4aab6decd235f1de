import AccessControl
import SharedState
import TestSupport
import Testing

@testable import Administration
@testable import Denials

/// Every short sequence of events, compared with a simple model: the set of denied subjects.
@Suite struct DenialSequenceTests {
    private enum Event: CaseIterable {
        case add, addAnother, remove, fillDisk, emptyDisk
        case savedByOther, savedGone, savedBroken
        case heard, heardRemoval, storeSilent, storeAnswers
        case fileRead, fileBroken, fileGone
        case closed, opened
    }

    private struct Model {
        var added: Set<String> = []
        var listed: Set<String> = []
        var isOpen = true
    }

    private static let subjects = ["u1", "u2", "s1", "p1", "f1", "f2"]

    @Test(arguments: Effort.some([3, 4], quick: 1))
    func `an acknowledged change is in force and saved, and no failure loses an entry`(_ length: Int)
        throws
    {
        var sequence = Array(repeating: 0, count: length)
        repeat {
            try Self.check(sequence.map { Event.allCases[$0] })
        } while Self.advance(&sequence)
    }

    /// Advances the indices like a counter. False if the last sequence was reached.
    private static func advance(_ sequence: inout [Int]) -> Bool {
        for index in sequence.indices {
            sequence[index] = (sequence[index] + 1) % Event.allCases.count
            if sequence[index] != 0 { return true }
        }
        return false
    }

    private static func check(_ events: [Event]) throws {
        let stage = try DenialStage(DenialStage.settings(store: DenialStage.store))
        var model = Model()
        for event in events {
            stage.pass(.seconds(1))
            apply(event, to: stage, &model)
            let denied = Set(subjects.filter { stage.denies($0) })
            #expect(denied == model.added.union(model.listed), "\(events), after \(event)")
        }
    }

    private static func apply(_ event: Event, to stage: DenialStage, _ model: inout Model) {
        switch event {
        case .add: ask(.add, "u1", stage, &model)
        case .addAnother: ask(.add, "u2", stage, &model)
        case .remove: ask(.remove, "u1", stage, &model)
        case .fillDisk: stage.isDiskFull = true
        case .emptyDisk: stage.isDiskFull = false
        case .savedByOther:
            stage.seeSaved(.success(stage.records(["s1"])))
            model.added = ["s1"]
        case .savedGone: stage.seeSaved(.success(nil))
        case .savedBroken: stage.seeSaved(.failure(DenyProblem("it is broken")))
        case .heard:
            stage.hear([stage.decision("p1")])
            model.added.insert("p1")
        case .heardRemoval:
            stage.hear([stage.decision("u2", isRemoved: true)], .silent)
            model.added.remove("u2")
        case .storeSilent: stage.fault = .silent
        case .storeAnswers: stage.fault = nil
        case .fileRead:
            let subject = model.listed == ["f1"] ? "f2" : "f1"
            stage.seeFile(DenialStage.stamps[0], .success(stage.table([subject])))
            model.listed = [subject]
        case .fileBroken: stage.seeFile(DenialStage.stamps[1], .failure(.unreadable("it is broken")))
        case .fileGone: stage.seeFile(nil, .failure(.unreadable("it is gone")))
        case .closed, .opened:
            model.isOpen = event == .opened
            let reading: DenialSettings.Reading = (stage.table(Array(model.listed)), DenialStage.stamps[2])
            stage.take(DenialStage.settings(reading: reading, isOpen: model.isOpen, store: DenialStage.store))
        }
    }

    /// Requests a change, and applies the answer to the model.
    private static func ask(_ action: DenialAction, _ subject: String, _ stage: DenialStage, _ model: inout Model) {
        let wasDenied = model.added.contains(subject)
        guard let answer = stage.ask(action, subject) else {
            Issue.record("it is not answered")
            return
        }
        guard model.isOpen else { return #expect(answer.status == 403) }
        if action == .remove, !wasDenied { return #expect(answer.status == 404) }
        if stage.isDiskFull { return #expect(answer == .notInForce) }
        #expect(stage.fault == nil ? answer.status == 200 : answer == .untold)
        #expect(stage.saves(subject) == (action == .add) && stage.denies(subject) == (action == .add))
        if action == .add { model.added.insert(subject) } else { model.added.remove(subject) }
    }
}

import AccessControl
import TestSupport
import Testing
import TokenVerification

/// Agreement of gateways that exchange their decisions.
@Suite struct DenialRecordsTests {
    private static let now = NumericDate(seconds: 1_790_000_000)

    private static func entry(_ value: String, before: Double? = nil, expires: Double = 600) -> DenyEntry {
        DenyEntry(
            issuer: "logto", .subject, value, issuedBefore: before.map { NumericDate(seconds: now.seconds + $0) },
            expires: NumericDate(seconds: now.seconds + expires))
    }

    private static func values(_ records: DenialRecords, at now: NumericDate = now) -> [String] {
        records.entries(at: now).map(\.value)
    }

    @Test
    func `an added entry denies until it expires or is removed, and differs from one with another issued_before`() {
        var records = DenialRecords()
        _ = records.add(Self.entry("u1", expires: 60), at: Self.now)
        _ = records.add(Self.entry("u1", before: -5, expires: 90), at: Self.now)
        _ = records.add(Self.entry("u2"), at: Self.now)
        _ = records.add(Self.entry("u2"), at: Self.now)
        #expect(records.count(at: Self.now) == 3 && Self.values(records).sorted() == ["u1", "u1", "u2"])
        #expect(Self.values(records, at: Self.now + .seconds(60)).sorted() == ["u1", "u2"])
        let counts = ["u3", "u1", "u1"].map { records.remove(about: Self.entry($0), at: Self.now).count }
        #expect(counts == [0, 2, 0])
        #expect(Self.values(records) == ["u2"] && records.all.count == 3)
        records.forgetRemovals()
        #expect(records.all.count == 1)
    }

    @Test func `a removal is not undone by an older denial, and a later denial replaces it`() {
        var (one, other) = (DenialRecords(), DenialRecords())
        let denial = one.add(Self.entry("u1"), at: Self.now)
        let heard = [denial, denial].map { other.merge($0) }
        #expect(heard == [true, false])
        let removals = other.remove(about: Self.entry("u1"), at: Self.now - .seconds(30))
        #expect(
            removals.count == 1 && removals.allSatisfy { $0.decidedAt > denial.decidedAt },
            "also by a clock that is behind")
        let isNews = other.merge(denial)
        #expect(!isNews && Self.values(other).isEmpty)
        let areNews = removals.map { one.merge($0) }
        #expect(areNews == [true] && Self.values(one).isEmpty)
        let isAgain = other.merge(one.add(Self.entry("u1"), at: Self.now + .seconds(1)))
        #expect(isAgain && Self.values(other) == ["u1"])
    }

    @Test func `of a denial and a removal at the same time the denial counts`() {
        let denial = DenialRecord(Self.entry("u1"), decidedAt: 7)
        let removal = DenialRecord(Self.entry("u1"), decidedAt: 7, isRemoved: true)
        for order in [[denial, removal], [removal, denial]] {
            var records = DenialRecords()
            for record in order { _ = records.merge(record) }
            #expect(Self.values(records) == ["u1"])
        }
    }

    @Test func `of two notes at the same time every gateway keeps the same one`() {
        let noted = ["b", "a", nil].map { note in
            var entry = Self.entry("u1")
            entry.note = note
            return DenialRecord(entry, decidedAt: 7)
        }
        for order in [noted, noted.reversed()] {
            var records = DenialRecords()
            for record in order { _ = records.merge(record) }
            #expect(records.entries(at: Self.now).map(\.note) == ["b"])
        }
    }

    @Test func `a saved note that cannot be used is dropped, and its entry denies`() throws {
        let line = #"{"issuer":"logto","sub":"u1","expires":"2100-01-01T00:00:00Z","note":"a\nb","decided_at":1}"#
        let record = try DenialRecord(restoring: Array(line.utf8).span)
        #expect(record.entry.value == "u1" && record.entry.note == nil)
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `gateways reach the same list, in whatever order and however often they receive decisions`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var gateways = [DenialRecords](repeating: DenialRecords(), count: 3)
        var decisions: [DenialRecord] = []
        for _ in 0..<200 {
            let index = Int.random(in: gateways.indices, using: &random)
            let now = Self.now + .seconds(Int.random(in: -5...5, using: &random))
            let entry = Self.entry(
                "u\(Int.random(in: 0..<12, using: &random))", before: Bool.random(using: &random) ? nil : -9)
            if Bool.random(using: &random) {
                decisions.append(gateways[index].add(entry, at: now))
            } else {
                decisions += gateways[index].remove(about: entry, at: now)
            }
            for record in decisions.shuffled(using: &random).prefix(3) { _ = gateways[index].merge(record) }
        }
        for index in gateways.indices {
            for record in (decisions + decisions).shuffled(using: &random) { _ = gateways[index].merge(record) }
        }
        #expect(gateways[0] == gateways[1] && gateways[1] == gateways[2])
        #expect(!Self.values(gateways[0]).isEmpty)
    }

    @Test func `expired records are forgotten, and beyond the maximum the oldest removals`() {
        var records = DenialRecords()
        _ = records.add(Self.entry("short", expires: 10), at: Self.now)
        records.forget(at: Self.now + .seconds(10))
        #expect(records.isEmpty)
        for number in 0..<(DenialRecords.mostRecords + 2) {
            let record = DenialRecord(
                Self.entry("u\(number)"), decidedAt: UInt64(number + 1), isRemoved: number % 2 == 0)
            _ = records.merge(record)
        }
        records.forget(at: Self.now)
        #expect(
            records.all.count == DenialRecords.mostRecords
                && records.count(at: Self.now) == DenialRecords.mostRecords / 2 + 1)
        #expect(records.lacks(DenialRecord(Self.entry("u2"), decidedAt: 3, isRemoved: true)))
        #expect(!records.lacks(DenialRecord(Self.entry("u4"), decidedAt: 5, isRemoved: true)))
    }

    @Test func `a saved decision reads back as written, and a decision in an older format counts as the oldest`() throws
    {
        for record in [
            DenialRecord(Self.entry("u1", before: -5), decidedAt: 1_790_000_000_000_001),
            DenialRecord(Self.entry("ü\"\u{1}"), decidedAt: 0, isRemoved: true),
        ] {
            var line: [UInt8] = []
            record.append(to: &line)
            #expect(try DenialRecord(restoring: line.span) == record)
        }
        let older = Array(#"{"issuer":"logto","sub":"u1","expires":"\#(Self.entry("u1").expires)"}"#.utf8)
        #expect(try DenialRecord(restoring: older.span) == DenialRecord(Self.entry("u1"), decidedAt: 0))
        let wrong = Array(#"{"issuer":"logto","sub":"u1","expires":"2100-01-01T00:00:00Z","decided_at":-1}"#.utf8)
        #expect(throws: DenyProblem.self) { try DenialRecord(restoring: wrong.span) }
    }
}

import TestSupport
import Testing
import TokenVerification

@testable import AccessControl

/// Denial of tokens by a list, whatever else it contains.
@Suite struct DenyTableTests {
    private static let now = NumericDate(seconds: 1_790_000_000)

    private static func digests() throws -> DenyDigests { try #require(DenyDigests.process) }

    private static func date(_ seconds: Double) -> NumericDate { NumericDate(seconds: now.seconds + seconds) }

    private static func list(_ entries: [DenyEntry], at now: NumericDate = now) throws -> DenyList {
        let list = DenyList(try digests())
        list.replace(.file, by: try table(entries, at: now))
        return list
    }

    private static func table(_ entries: [DenyEntry], at now: NumericDate = now) throws -> DenyTable {
        var builder = DenyTable.Builder(try digests())
        for entry in entries where !builder.add(entry) { Issue.record("no mark") }
        return builder.table(at: now)
    }

    private static func marks(
        _ values: [DeniedAttribute: String], issuer: String = "logto", issuedAt: Double? = now.seconds - 60
    ) throws -> DenyMarks {
        var marks = DenyMarks(issuedAt: issuedAt)
        for (attribute, value) in values {
            marks[attribute] = try #require(try digests().mark(issuer, attribute, value))
        }
        return marks
    }

    @Test(arguments: DeniedAttribute.allCases)
    func `an entry denies tokens of its issuer with its value, and no others`(_ attribute: DeniedAttribute) throws {
        let list = try Self.list([DenyEntry(issuer: "logto", attribute, "v1", expires: Self.date(60))])
        #expect(list.attribute(denying: try Self.marks([attribute: "v1"]), at: Self.now) == attribute)
        #expect(list.attribute(denying: try Self.marks([attribute: "v2"]), at: Self.now) == nil)
        #expect(list.attribute(denying: try Self.marks([attribute: "V1"]), at: Self.now) == nil)
        #expect(list.attribute(denying: try Self.marks([attribute: "v1"], issuer: "other"), at: Self.now) == nil)
        #expect(list.attribute(denying: try Self.marks([:]), at: Self.now) == nil)
        for other in DeniedAttribute.allCases where other != attribute {
            #expect(list.attribute(denying: try Self.marks([other: "v1"]), at: Self.now) == nil, "\(other)")
        }
    }

    @Test func `bytes cannot move between issuer and value of an entry`() throws {
        let list = try Self.list([DenyEntry(issuer: "log", .subject, "tou1", expires: Self.date(60))])
        #expect(list.attribute(denying: try Self.marks([.subject: "u1"]), at: Self.now) == nil)
    }

    @Test(
        arguments: [
            (nil, true), (-60.5, true), (-60.0, false), (-59, false), (3600, false),
        ] as [(Double?, Bool)])
    func `issued_before denies tokens issued before that time, and tokens without iat`(
        _ issued: Double?, _ isDenied: Bool
    )
        throws
    {
        let entry = DenyEntry(issuer: "logto", .subject, "u1", issuedBefore: Self.date(-60), expires: Self.date(60))
        let marks = try Self.marks([.subject: "u1"], issuedAt: issued.map { Self.now.seconds + $0 })
        let list = try Self.list([entry])
        #expect((list.attribute(denying: marks, at: Self.now) != nil) == isDenied)
    }

    @Test func `an entry denies and is counted until it expires`() throws {
        let entry = DenyEntry(issuer: "logto", .subject, "u1", expires: Self.date(60))
        let (list, marks) = (try Self.list([entry]), try Self.marks([.subject: "u1"]))
        #expect(list.attribute(denying: marks, at: Self.date(59.9)) == .subject)
        #expect(list.attribute(denying: marks, at: Self.date(60)) == nil)
        #expect(list.table(of: .file).count(at: Self.date(59.9)) == 1)
        #expect(list.table(of: .file).count(at: Self.date(60)) == 0)
        #expect(try Self.table([entry], at: Self.date(60)).isEmpty)
    }

    @Test func `of two entries for the same value, each denies the tokens that match it`() throws {
        let entries = [
            DenyEntry(issuer: "logto", .subject, "u1", issuedBefore: Self.date(-100), expires: Self.date(600)),
            DenyEntry(issuer: "logto", .subject, "u1", issuedBefore: Self.date(-50), expires: Self.date(60)),
        ]
        for entries in [entries, entries.reversed()] {
            let list = try Self.list(entries)
            #expect(list.table(of: .file).count(at: Self.now) == 2)
            let (older, newer) = (
                try Self.marks([.subject: "u1"], issuedAt: Self.now.seconds - 101),
                try Self.marks([.subject: "u1"], issuedAt: Self.now.seconds - 51)
            )
            #expect(list.attribute(denying: newer, at: Self.date(59)) == .subject)
            #expect(list.attribute(denying: newer, at: Self.date(60)) == nil)
            #expect(list.attribute(denying: older, at: Self.date(599)) == .subject)
        }
        let wider = DenyEntry(issuer: "logto", .subject, "u1", expires: Self.date(600))
        #expect(try Self.table(entries + [wider]).count(at: Self.now) == 1)
    }

    @Test func `an entry of any source denies, and an emptied source denies nothing`() throws {
        let list = try Self.list([DenyEntry(issuer: "logto", .subject, "u1", expires: Self.date(60))])
        list.replace(.api, by: try Self.table([DenyEntry(issuer: "logto", .tokenID, "t1", expires: Self.date(60))]))
        #expect(list.attribute(denying: try Self.marks([.subject: "u1"]), at: Self.now) == .subject)
        #expect(list.attribute(denying: try Self.marks([.tokenID: "t1"]), at: Self.now) == .tokenID)
        list.replace(.file, by: .empty)
        #expect(list.attribute(denying: try Self.marks([.subject: "u1"]), at: Self.now) == nil)
        #expect(list.attribute(denying: try Self.marks([.tokenID: "t1"]), at: Self.now) == .tokenID)
        list.replace(.api, by: .empty)
        #expect(list.attribute(denying: try Self.marks([.tokenID: "t1"]), at: Self.now) == nil)
    }

    @Test func `the next configuration's list shares the tables, and the previous list keeps its file table`()
        throws
    {
        let first = try Self.list([DenyEntry(issuer: "logto", .subject, "u1", expires: Self.date(60))])
        let next = first.successor()
        let former = try Self.marks([.subject: "u1"])
        for list in [first, next] { #expect(list.attribute(denying: former, at: Self.now) == .subject) }

        // The issuer has another name in the next file and in its deny list.
        first.keepFileTable()
        next.replace(.file, by: try Self.table([DenyEntry(issuer: "company", .subject, "u1", expires: Self.date(60))]))
        let renamed = try Self.marks([.subject: "u1"], issuer: "company")
        #expect(first.attribute(denying: former, at: Self.now) == .subject)
        #expect(next.attribute(denying: former, at: Self.now) == nil)
        for list in [first, next] { #expect(list.attribute(denying: renamed, at: Self.now) == .subject) }

        next.replace(.file, by: .empty)
        #expect(first.attribute(denying: former, at: Self.now) == .subject && first.isInUse)
        #expect(first.attribute(denying: renamed, at: Self.now) == nil && !next.isInUse)
        next.replace(.api, by: try Self.table([DenyEntry(issuer: "logto", .tokenID, "t1", expires: Self.date(60))]))
        for list in [first, next] {
            #expect(list.attribute(denying: try Self.marks([.tokenID: "t1"]), at: Self.now) == .tokenID)
        }
    }

    @Test func `entries of issuers that left the file can be named where they are added`() throws {
        let known = DenyIssuers([TrustedIssuer]()).adding(former: ["gone"])
        let bytes = Array(#"{"issuer":"gone","sub":"u1"}"#.utf8)
        #expect(try DenyEntry(parsing: bytes.span, issuers: known, at: Self.now).issuer == "gone")
        #expect(throws: DenyProblem.self) {
            try DenyEntry(parsing: bytes.span, issuers: DenyIssuers([TrustedIssuer]()), at: Self.now)
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `a deny table gives the same results as a linear search`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func entry() -> DenyEntry {
            DenyEntry(
                issuer: ["logto", "other"].randomElement(using: &random) ?? "",
                DeniedAttribute.allCases.randomElement(using: &random) ?? .subject,
                "v\(Int.random(in: 0..<40, using: &random))",
                issuedBefore: Bool.random(using: &random)
                    ? nil : Self.date(Double(Int.random(in: -5...5, using: &random))),
                expires: Self.date(Double(Int.random(in: -2...6, using: &random))))
        }
        for size in [0, 1, 3, 4, 5, 20, 300] {
            let entries = (0..<size).map { _ in entry() }
            let list = try Self.list(entries)
            for _ in 0..<300 {
                let asked = entry()
                let issuedAt =
                    Bool.random(using: &random)
                    ? nil : Self.now.seconds + Double(Int.random(in: -6...6, using: &random))
                let now = Self.date(Double(Int.random(in: 0...6, using: &random)))
                let isDenied = entries.contains { entry in
                    guard entry.isAbout(asked), now < entry.expires else { return false }
                    guard let before = entry.issuedBefore, let issuedAt else { return true }
                    return issuedAt < before.seconds
                }
                let marks = try Self.marks([asked.attribute: asked.value], issuer: asked.issuer, issuedAt: issuedAt)
                #expect((list.attribute(denying: marks, at: now) != nil) == isDenied)
            }
        }
    }

    @Test(.slow) func `a million entries take 17 bytes each, and a look-up reads a few of them`() throws {
        var builder = DenyTable.Builder(try Self.digests())
        for number in 0..<1_000_000 {
            _ = builder.add(DenyEntry(issuer: "logto", .tokenID, "token-\(number)", expires: Self.date(60)))
        }
        let table = builder.table(at: Self.now)
        #expect(table.count(at: Self.now) == 1_000_000)
        #expect(table.byteCount < 17_100_000, "\(table.byteCount)")
        // With random marks, a group of four has hardly ever more than twenty entries.
        #expect((5...32).contains(table.longestGroup), "\(table.longestGroup)")
        let list = DenyList(try Self.digests())
        list.replace(.file, by: table)
        for number in stride(from: 0, to: 1_000_000, by: 9973) {
            #expect(list.attribute(denying: try Self.marks([.tokenID: "token-\(number)"]), at: Self.now) == .tokenID)
            #expect(list.attribute(denying: try Self.marks([.tokenID: "other-\(number)"]), at: Self.now) == nil)
        }
    }
}

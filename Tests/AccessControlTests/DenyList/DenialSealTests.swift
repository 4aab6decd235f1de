import AccessControl
import Testing
import TokenVerification

/// Trust in a store that anybody may have written to.
@Suite struct DenialSealTests {
    private static func seal(_ byte: UInt8 = 7) throws -> DenialSeal {
        try #require(DenialSeal(secret: [UInt8](repeating: byte, count: 32)))
    }

    private static func record(_ value: String = "u1", at time: UInt64 = 1_790_000_000_000_000, isRemoved: Bool = false)
        -> DenialRecord
    {
        let entry = DenyEntry(issuer: "logto", .subject, value, expires: NumericDate(seconds: 1_790_000_600))
        return DenialRecord(entry, decidedAt: time, isRemoved: isRemoved)
    }

    @Test func `what one holder of the secret seals another opens, and nobody else can make it`() throws {
        let sealed = try #require(try Self.seal().sealed(Self.record()))
        #expect(try Self.seal().opened(sealed.text) == Self.record())
        #expect(try Self.seal(8).opened(sealed.text) == nil)
        #expect(DenialSeal(secret: [1, 2, 3]) == nil)
        for index in sealed.text.indices {
            var changed = sealed.text
            changed[index] ^= 1
            #expect(try Self.seal().opened(changed) == nil, "\(index)")
            #expect(try Self.seal().opened(Array(sealed.text.prefix(index))) == nil, "\(index)")
        }
        #expect(try Self.seal().opened(sealed.text + [0x20]) == nil)
    }

    @Test func `an entry has one name, which tells nothing of it`() throws {
        let (one, removed) = (
            try #require(try Self.seal().sealed(Self.record())),
            try #require(try Self.seal().sealed(Self.record(isRemoved: true)))
        )
        #expect(one.name == removed.name && one.name.count == 32)
        let others = [try Self.seal().sealed(Self.record("u2")), try Self.seal(8).sealed(Self.record())]
        for other in others { #expect(try #require(other).name != one.name) }
    }

    @Test func `the beginnings of texts are in the order of the decisions`() throws {
        let records = [
            Self.record(at: 0, isRemoved: true), Self.record(at: 0), Self.record(at: 9),
            Self.record(at: 10, isRemoved: true),
            Self.record(at: 1_790_000_000_000_000), Self.record(at: 9_999_999_999_999_999),
        ]
        let texts = try records.map { try #require(try Self.seal().sealed($0)).text.prefix(DenialSeal.orderLength) }
        for (earlier, later) in zip(texts, texts.dropFirst()) { #expect(earlier.lexicographicallyPrecedes(later)) }
    }
}

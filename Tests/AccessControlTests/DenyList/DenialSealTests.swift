import AccessControl
import Testing
import TokenVerification

/// Sealed decisions in a store that anybody may have written to.
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

    @Test func `a sealed decision is opened only with the same secret, and cannot be forged`() throws {
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

    @Test func `each entry has one name, which does not reveal the entry`() throws {
        let (one, removed) = (
            try #require(try Self.seal().sealed(Self.record())),
            try #require(try Self.seal().sealed(Self.record(isRemoved: true)))
        )
        #expect(one.name == removed.name && one.name.count == 32)
        let others = [try Self.seal().sealed(Self.record("u2")), try Self.seal(8).sealed(Self.record())]
        for other in others { #expect(try #require(other).name != one.name) }
    }

    @Test func `sealed texts sort in the order of their decisions`() throws {
        let records = [
            Self.record(at: 0, isRemoved: true), Self.record(at: 0), Self.record(at: 9),
            Self.record(at: 10, isRemoved: true),
            Self.record(at: 1_790_000_000_000_000), Self.record(at: 9_999_999_999_999_999),
        ]
        let texts = try records.map { try #require(try Self.seal().sealed($0)).text.prefix(DenialSeal.orderLength) }
        for (earlier, later) in zip(texts, texts.dropFirst()) { #expect(earlier.lexicographicallyPrecedes(later)) }
    }
}

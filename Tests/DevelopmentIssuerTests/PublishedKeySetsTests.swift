import ProviderFixtures
import Testing

@testable import DevelopmentIssuer

struct PublishedKeySetsTests {
    @Test func `a rotation renames the keys that sign samples and keeps the old keys`() throws {
        var published = PublishedKeySets(of: .of(.logto))
        let old = published.publishedKeyIDs
        #expect(published.mainKeyID == old[0])
        published.rotate(.stayPublished)
        let new = published.publishedKeyIDs
        #expect(new == [published.mainKeyID, old[1], old[0]])
        #expect(published.keyIDs == [old[0]: new[0]])
        #expect(new[0].utf8.count == old[0].utf8.count)
        #expect(new[0] != old[0])
        published.rotate(.areDropped)
        #expect(published.publishedKeyIDs == [published.mainKeyID, old[1]])
        #expect(published.keyIDs == [old[0]: published.mainKeyID])
    }

    @Test func `a key in two key sets gets the same new ID in both`() {
        var published = PublishedKeySets(of: .of(.entraID))
        published.rotate(.areDropped)
        let first = published.keySets.map { keySet in keySet.keys[0].name.keyID }
        #expect(first == [published.mainKeyID, published.mainKeyID])
        #expect(published.keySets[0].keys[1].name.keyID == "NextKeyJtFIBU4sQy9tWc2LmVp7")
    }

    @Test func `rotated keys keep their shape`() {
        var published = PublishedKeySets(of: .of(.azureB2C))
        let shapes = published.keySets.map { keySet in keySet.keys.map(\.shape) }
        published.rotate(.areDropped)
        #expect(published.keySets.map { keySet in keySet.keys.map(\.shape) } == shapes)
        #expect(published.keySets[1].keys[0].name.keyID != "CustomPolicyKey1")
    }

    @Test func `the number of old keys is bounded`() {
        var published = PublishedKeySets(of: .of(.okta))
        for _ in 0..<20 { published.rotate(.stayPublished) }
        #expect(published.publishedKeyIDs.count == 1 + PublishedKeySets.mostRetired)
    }

    @Test(arguments: [
        ("280543383892525058", "0123456789"), ("7c1f0a93b25de684c0f7a91e3d5b8620f4a7c9d1", "0123456789abcdef"),
        ("6f1d3a52-8c07-4be9-9a41-d2f0b7e35c18", "0123456789abcdef-"),
    ])
    func `a new key ID has the length and alphabet of the old one`(keyID: String, alphabet: String) {
        let new = KeyIDStyle.similar(to: keyID)
        #expect(new.count == keyID.count)
        #expect(new.allSatisfy { character in alphabet.contains(character) })
    }

    @Test func `punctuation in a key ID stays in its position`() {
        let new = KeyIDStyle.similar(to: "Zm9v+/x1=")
        #expect(new.count == 9)
        #expect(new.hasSuffix("="))
        #expect(Array(new)[4...5] == ["+", "/"])
        let identifier = KeyIDStyle.similar(to: "6f1d3a52-8c07-4be9-9a41-d2f0b7e35c18")
        #expect(identifier.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    }
}

import KeySets
import Testing
import TokenVerification

@Suite struct MissingKeyTests {
    private let now = NumericDate(seconds: 1000)

    private func snapshot(
        canWait: Bool = false, lastFetchSucceeded: Bool = true, refused names: [String] = []
    ) -> KeySetSnapshot {
        var refused = RefusedKeyIDs()
        for name in names { refused.insert(name, at: .now) }
        return KeySetSnapshot(
            staleLimit: .seconds(60), canWait: canWait, lastFetchSucceeded: lastFetchSucceeded, refused: refused,
            nextAttempt: NumericDate(seconds: 1009))
    }

    @Test func `a request for a missing key waits while a fetch may come, and gets Retry-After otherwise`() {
        #expect(snapshot(canWait: true).missing("b", at: now) == .awaited)
        #expect(snapshot(canWait: true, lastFetchSucceeded: false).missing("b", at: now) == .awaited)
        #expect(snapshot().missing("b", at: now) == .notAsked(retryAfter: .seconds(9)))
        #expect(snapshot(lastFetchSucceeded: false).missing("b", at: now) == .unanswered(retryAfter: .seconds(9)))
    }

    @Test func `a recently refused key ID is unknown without a new fetch`() {
        for canWait in [true, false] {
            for hasSucceeded in [true, false] {
                let snapshot = snapshot(canWait: canWait, lastFetchSucceeded: hasSucceeded, refused: ["b"])
                #expect(snapshot.missing("b", at: now) == .unknown)
                #expect(snapshot.missing("B", at: now) != .unknown)
            }
        }
    }

    @Test func `when the list of refused key IDs is full, others are unknown too, unless a fetch is possible`() {
        let names = (0..<RefusedKeyIDs.limit).map { "x\($0)" }
        #expect(snapshot(refused: names).missing("b", at: now) == .unknown)
        #expect(snapshot(refused: Array(names.dropLast())).missing("b", at: now) == .notAsked(retryAfter: .seconds(9)))
        #expect(snapshot(canWait: true, refused: names).missing("b", at: now) == .awaited)
        #expect(
            snapshot(lastFetchSucceeded: false, refused: names).missing("b", at: now)
                == .unanswered(retryAfter: .seconds(9)))
    }

    @Test(
        arguments: [
            ("k", true), (" ", true), ("~", true), (String(repeating: "k", count: 256), true), ("a/b+c=", true),
            ("../../etc/passwd", true),
            ("", false), (String(repeating: "k", count: 257), false), ("a\tb", false), ("a\n", false),
            ("\u{7F}", false), ("\0", false),
            ("é", false), ("\u{202E}k", false), ("\u{1F511}", false),
        ] as [(String, Bool)])
    func `a key ID that is too long or not printable ASCII is unknown without a fetch`(_ keyID: String, _ isAsked: Bool)
    {
        #expect(snapshot(canWait: true).missing(keyID, at: now) == (isAsked ? .awaited : .unknown))
        #expect(snapshot().missing(keyID, at: now) == (isAsked ? .notAsked(retryAfter: .seconds(9)) : .unknown))
    }

    @Test func `key IDs are noted for the next fetch, each once, up to the number that can be refused`() {
        let store = KeySetStore(snapshot())
        #expect(store.takeUnasked() == [])
        for name in ["a", "b", "a"] { store.noteUnasked(name) }
        #expect(store.takeUnasked() == ["a", "b"])
        #expect(store.takeUnasked() == [])
        for number in 0...RefusedKeyIDs.limit { store.noteUnasked("\(number)") }
        let noted = store.takeUnasked()
        #expect(noted.count == RefusedKeyIDs.limit)
        #expect(!noted.contains("\(RefusedKeyIDs.limit)"))
    }
}

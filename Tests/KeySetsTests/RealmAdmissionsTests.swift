import JOSE
import KeySets
import Testing
import TokenVerification

@Suite struct RealmAdmissionsTests {
    private let beginning = ContinuousClock.now

    private func after(_ seconds: Int) -> ContinuousClock.Instant { beginning.advanced(by: .seconds(seconds)) }

    @Test func `unknown realms share one allowance, whatever their names`() {
        var admissions = RealmAdmissions(most: 10, burst: 2, interval: .seconds(6))
        #expect(admissions.requestNeeds("a", taken: 0, at: after(0)) == .fetch)
        #expect(admissions.requestNeeds("b", taken: 0, at: after(0)) == .fetch)
        #expect(admissions.requestNeeds("c", taken: 0, at: after(0)) == .answer(.notAsked(retryAfter: .seconds(6))))
        #expect(admissions.ended("a", .absent, at: after(1)) == .confirmedUnknown)
        #expect(admissions.ended("b", .failed, at: after(1)) == .unavailable(retryAfter: .seconds(5)))
        #expect(admissions.requestNeeds("c", taken: 0, at: after(5)) == .answer(.notAsked(retryAfter: .seconds(1))))
        #expect(admissions.requestNeeds("c", taken: 0, at: after(6)) == .fetch)
        #expect(admissions.counters.fetches == 3)
        #expect(admissions.counters.notAsked == 2)
    }

    @Test func `a realm that the issuer did not have is not asked for again within a minute`() {
        var admissions = RealmAdmissions(most: 10, burst: 5, interval: .seconds(60))
        #expect(admissions.requestNeeds("a", taken: 0, at: after(0)) == .fetch)
        #expect(admissions.ended("a", .absent, at: after(0)) == .confirmedUnknown)
        #expect(admissions.requestNeeds("a", taken: 0, at: after(59)) == .answer(.confirmedUnknown))
        #expect(admissions.requestNeeds("a", taken: 0, at: after(60)) == .fetch)
    }

    @Test func `a realm that could not be asked for is asked for again at once`() {
        var admissions = RealmAdmissions(most: 10, burst: 5, interval: .seconds(60))
        #expect(admissions.requestNeeds("a", taken: 0, at: after(0)) == .fetch)
        #expect(admissions.ended("a", .failed, at: after(0)) == .unavailable(retryAfter: .seconds(1)))
        #expect(admissions.requestNeeds("a", taken: 0, at: after(0)) == .fetch)
    }

    /// After a restart without saved realms, all of them are asked for at once.
    @Test func `realms that have keys cost nothing of the allowance`() {
        var admissions = RealmAdmissions(most: 200, burst: 2, interval: .seconds(60))
        for taken in 0..<200 {
            #expect(admissions.requestNeeds("r\(taken)", taken: taken, at: after(0)) == .fetch)
            #expect(admissions.ended("r\(taken)", .keys, at: after(0)) == .keysChanged)
        }
        #expect(
            admissions.requestNeeds("one", taken: 200, at: after(0)) == .answer(.notAsked(retryAfter: .seconds(60))))
        #expect(admissions.counters.withoutPlace == 1)
    }

    @Test func `fetches under way count as places`() {
        var admissions = RealmAdmissions(most: 2, burst: 5, interval: .seconds(60))
        #expect(admissions.requestNeeds("a", taken: 1, at: after(0)) == .fetch)
        #expect(admissions.requestNeeds("b", taken: 1, at: after(0)) == .answer(.notAsked(retryAfter: .seconds(1))))
        #expect(admissions.ended("a", .absent, at: after(0)) == .confirmedUnknown)
        #expect(admissions.requestNeeds("b", taken: 1, at: after(0)) == .fetch)
    }

    @Test func `a thousand unknown realms a second cause ten fetches and one every six seconds`() {
        var admissions = RealmAdmissions(most: 100)
        var fetches = 0
        for second in 0..<60 {
            for number in 0..<1000
            where admissions.requestNeeds("m\(second)-\(number)", taken: 3, at: after(second)) == .fetch {
                fetches += 1
                #expect(admissions.ended("m\(second)-\(number)", .absent, at: after(second)) == .confirmedUnknown)
            }
        }
        #expect(fetches == 10 + 9)
    }
}

@Suite struct RealmStoresTests {
    private func store() -> KeySetStore { KeySetStore(KeySetSnapshot(staleLimit: .seconds(60))) }

    @Test func `an index is never given to another realm`() {
        let (stores, others) = (RealmStores(), RealmStores())
        var seen: Set<KeySetIndex> = []
        for round in 0..<50 {
            for (table, name) in [(stores, "a"), (others, "a"), (stores, "b\(round)")] {
                table.add(name, store())
                let realm = table.realm(named: name)
                #expect(realm.map { seen.insert($0.index).inserted } == true)
            }
            stores.remove("b\(round)")
        }
        #expect(stores.count == 1)
        #expect(seen.compactMap(stores.store).count == 1)
        #expect(seen.compactMap(others.store).count == 1)
    }

    @Test func `a realm is found by its name and its index, byte for byte`() throws {
        let stores = RealmStores()
        let (one, other) = (store(), store())
        stores.add("\u{E9}", one)
        stores.add("e\u{301}", other)
        let first = try #require(stores.realm(named: "\u{E9}"))
        #expect(first.store === one)
        #expect(stores.store(first.index) === one)
        #expect(stores.realm(named: "e\u{301}")?.store === other)
        stores.remove("\u{E9}")
        #expect(stores.realm(named: "\u{E9}") == nil)
        #expect(stores.store(first.index) == nil)
        #expect(stores.count == 1)
    }
}

@Suite struct SavedRealmsTests {
    private func configuration(
        _ pattern: String = "https://id.example/realms/{realm}", glob: String = "cust-*", most: Int = 100
    ) throws -> RealmKeySetsConfiguration {
        let pattern = try #require(RealmPattern(pattern, names: .matching(try ClaimPattern(glob))))
        return RealmKeySetsConfiguration(
            pattern: pattern, most: most, common: KeySetConfiguration(source: .discovery(issuer: ""), issuer: ""))
    }

    @Test func `saved names are read by the same configuration alone`() throws {
        let text = SavedRealms(["cust-b", "cust-a"]).text(for: try configuration())
        #expect(SavedRealms(parsing: text.span, for: try configuration())?.names == ["cust-a", "cust-b"])
        #expect(SavedRealms(parsing: text.span, for: try configuration(most: 1))?.names == ["cust-a"])
        #expect(SavedRealms(parsing: text.span, for: try configuration("https://other.example/{realm}")) == nil)
        #expect(SavedRealms(parsing: Array(text.dropLast()).span, for: try configuration()) == nil)
        #expect(try configuration().fileName != configuration(glob: "a*").fileName)
    }

    @Test func `names that the pattern does not accept are left out`() throws {
        let text = SavedRealms(["cust-a", "acme", "cust-", "cust-a/../b"]).text(for: try configuration())
        #expect(SavedRealms(parsing: text.span, for: try configuration())?.names == ["cust-a"])
    }

    @Test func `a realm's key set is found by discovery at its own address, and stays below it`() throws {
        let keySet = try configuration().keySet(of: "cust-a")
        #expect(keySet.issuer == "https://id.example/realms/cust-a")
        #expect(keySet.source == .discovery(issuer: "https://id.example/realms/cust-a"))
        #expect(keySet.keysBelow == "https://id.example/realms/cust-a/")
        #expect(keySet.identity != (try configuration().keySet(of: "cust-b")).identity)
    }
}

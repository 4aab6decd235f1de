import Testing

@testable import ConfigurationFile

struct NearestNameTests {
    private static let known = ["issuer", "issuers", "algorithms", "at", "event_loops"]

    @Test(arguments: [
        ("algoritms", "algorithms"), ("algorithsm", "algorithms"), ("Issuer", "issuer"), ("isuers", "issuers"),
        ("ta", "at"),
        ("event-loops", "event_loops"), ("eventloops", "event_loops"), ("a", "at"),
    ])
    func `a misspelt name is recognised`(_ name: String, _ meant: String) {
        #expect(NearestName.of(name, among: Self.known) == meant)
    }

    @Test(arguments: ["", "x", "audience", "upstream", "loops"])
    func `a name that is too different is not taken for a typo`(_ name: String) {
        #expect(NearestName.of(name, among: ["issuers", "algorithms", "event_loops"]) == nil)
    }
}

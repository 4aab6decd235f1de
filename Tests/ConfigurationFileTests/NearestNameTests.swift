import Testing

@testable import ConfigurationFile

struct NearestNameTests {
    private static let known = ["issuer", "issuers", "algorithms", "at", "event_loops"]

    @Test(arguments: [
        ("algoritms", "algorithms"), ("algorithsm", "algorithms"), ("Issuer", "issuer"), ("isuers", "issuers"),
        ("ta", "at"),
        ("event-loops", "event_loops"), ("eventloops", "event_loops"), ("a", "at"),
    ])
    func `a slip of the pen is recognised`(_ name: String, _ meant: String) {
        #expect(NearestName.of(name, among: Self.known) == meant)
    }

    @Test(arguments: ["", "x", "audience", "upstream", "loops"])
    func `a far name is no slip`(_ name: String) {
        #expect(NearestName.of(name, among: ["issuers", "algorithms", "event_loops"]) == nil)
    }
}

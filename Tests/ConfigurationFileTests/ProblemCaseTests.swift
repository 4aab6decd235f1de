import ConfigurationFile
import TestSupport
import Testing

/// T153, T416, T417, T418, T419 and T420 are among the cases.
struct ProblemCaseTests {
    @Test(arguments: try ProblemCase.all("yaml"))
    func `a YAML mistake is reported with its location`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("process"))
    func `a mistake in listeners, limits and other process settings is reported with its location`(
        _ example: ProblemCase
    ) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("doors"))
    func `a mistake in a door is reported with its location`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("issuers"))
    func `a mistake in an issuer is reported with its location`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("resources"))
    func `a mistake in a resource is reported with its location`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("cors"))
    func `a mistake in a resource's CORS origins is reported with its location`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("fleets"))
    func `a mistake in a fleet of upstreams is reported with its location`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("quotas"))
    func `a mistake in a quota is reported with its location`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("rules"))
    func `a mistake in a rule is reported with its location`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("profiles"))
    func `a mistake in an issuer with a profile is reported with its location`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("acceptance"))
    func `a contradiction between a resource and its issuers is reported with its location`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("shapes"))
    func `text or a list instead of a mapping is reported with the mapping to write`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("wishes"))
    func `a key of another gateway is reported with the key to use instead`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test func `a file is accepted exactly if none of its problems is an error`() throws {
        let areas = [
            "yaml", "process", "doors", "issuers", "profiles", "acceptance", "resources", "cors", "fleets", "quotas",
            "rules", "shapes",
            "wishes",
        ]
        for area in areas {
            for example in try ProblemCase.all(area) {
                let isTaken = if case .success = load(example) { true } else { false }
                #expect(isTaken == !example.problems.contains { $0.contains(": error: ") }, "\(example.name)")
            }
        }
    }

    private func problems(of example: ProblemCase) -> [String] {
        load(example).problems.map { $0.rendered(file: "FILE") }
    }

    private func load(_ example: ProblemCase) -> LoadResult<Configuration> {
        Configuration.load(text: example.text, directory: ProblemCase.directory, environment: ProblemCase.environment)
    }
}

import ConfigurationFile
import TestSupport
import Testing

/// T153, T416, T417, T418, T419 and T420 are among the cases.
struct ProblemCaseTests {
    @Test(arguments: try ProblemCase.all("yaml"))
    func `what is wrong with the file as YAML is told with its place`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("process"))
    func `what is wrong with listeners, limits and the like is told with its place`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("doors"))
    func `what is wrong with a door is told with its place`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("issuers"))
    func `what is wrong with an issuer is told with its place`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("resources"))
    func `what is wrong with a resource is told with its place`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("cors"))
    func `what is wrong with a resource's origins is told with its place`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("fleets"))
    func `what is wrong with a fleet of upstreams is told with its place`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("quotas"))
    func `what is wrong with a quota is told with its place`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("rules"))
    func `what is wrong with a rule is told with its place`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("profiles"))
    func `what is wrong with an issuer that has a profile is told with its place`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("acceptance"))
    func `what a resource and its issuers make of each other is told with its place`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("shapes"))
    func `a text or a list in place of a mapping is told with the mapping made of it`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test(arguments: try ProblemCase.all("wishes"))
    func `a word of another gateway is told with what there is for it`(_ example: ProblemCase) {
        #expect(problems(of: example) == example.problems)
    }

    @Test func `a file is taken exactly if none of its problems is an error`() throws {
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

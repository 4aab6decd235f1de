import ConfigurationFile
import TestSupport
import Testing
import TokenVerification

struct AccessLogCaseTests {
    @Test(arguments: try ProblemCase.all("access-log"))
    func `a mistake in the access log's settings is reported with its location`(_ example: ProblemCase) {
        #expect(Self.load(example).problems.map { $0.rendered(file: "FILE") } == example.problems)
    }

    @Test func `the access log's settings are read as written, members in the order of the line`() throws {
        let example = try #require(try ProblemCase.all("access-log").first)
        guard case .success(let configuration, _) = Self.load(example) else { throw NotLoaded() }
        #expect(configuration.accessLog.destination == .file(path: ProblemCase.directory + "/access.log"))
        #expect(
            configuration.accessLog.logged == [
                .scopes, .actor, .tenant, .organization, .claim(try ClaimPath("/department")),
                .claim(try ClaimPath("realm_access.roles")),
            ])
    }

    private static func load(_ example: ProblemCase) -> LoadResult<Configuration> {
        Configuration.load(text: example.text, directory: ProblemCase.directory, environment: [:])
    }

    private struct NotLoaded: Error {}
}

import ConfigurationFile
import Foundation
import Testing

/// `shared_state`, with secrets in files whose permissions matter.
struct SharedStateTests {
    private static let quotas =
        "issuers: {a: {issuer: \"https://id.example\", token_type: at+jwt}}\n"
        + "resources: {\"https://api.example\": {issuers: a, upstream: \"http://127.0.0.1:9000\", quotas: q, rules: {ANY /**: authenticated}}}\n"
        + "quotas: {q: {requests: 1, per: 1s}}\n"

    private static func load(_ state: String) throws -> LoadResult<Configuration> {
        let folder = try FolderOfSecrets([
            ("secret", "0123456789abcdef\n"), ("open", "0123456789abcdef"), ("short", "0123456789abcde\n"),
            ("password", "xyzzy\r\n"),
            ("empty", "\n"),
        ])
        return folder.load(quotas + "shared_state: " + state + "\n")
    }

    @Test func `every shared state key reaches the configuration`() throws {
        let text =
            "{url: \"redis://[::1]:6380/7\", nodes: 4, user: bearward, password_file: password, secret_file: secret, timeout: 20ms}"
        guard case .success(let configuration, let warnings) = try Self.load(text) else {
            Issue.record("not taken")
            return
        }
        let state = try #require(configuration.sharedState)
        #expect(state.host == "::1" && state.port == 6380 && state.database == 7 && state.processes == 4)
        #expect(
            state.user == "bearward" && state.password == Array("xyzzy".utf8)
                && state.secret == Array("0123456789abcdef".utf8))
        #expect(state.timeout == .milliseconds(20) && state.address == "[::1]:6380" && warnings.isEmpty)
    }

    @Test func `omitted shared state keys have their defaults`() throws {
        guard case .success(let configuration, _) = try Self.load("{url: redis://localhost, secret_file: secret}")
        else {
            Issue.record("not taken")
            return
        }
        let state = try #require(configuration.sharedState)
        #expect(state.host == "localhost" && state.port == 6379 && state.database == 0 && state.processes == 1)
        #expect(state.user == nil && state.password == nil && state.timeout == .milliseconds(50))
    }

    @Test func `a changed secret in the same secret file makes a different configuration`() throws {
        let text = quotasOfOne
        let folders = try ["0123456789abcdef", "fedcba9876543210"].map { try FolderOfSecrets([("secret", $0)]) }
        let loaded = folders.compactMap {
            if case .success(let configuration, _) = $0.load(text) { configuration } else { nil }
        }
        let (one, other) = try (#require(loaded.first), #require(loaded.last))
        #expect(loaded.count == 2 && !one.saysTheSame(as: other) && one.saysTheSame(as: one))
    }

    private var quotasOfOne: String { Self.quotas + "shared_state: {url: redis://localhost, secret_file: secret}\n" }

    @Test(arguments: [
        ("{}", "4:1: error: shared_state: `url` is missing; write `redis://127.0.0.1:6379/0`"),
        (
            "{url: rediss://localhost, secret_file: secret}",
            "`rediss://` is not supported: the client library knows no TLS; write `redis://`"
        ),
        (
            "{url: http://localhost, secret_file: secret}",
            "4:21: error: shared_state.url: `http://localhost` is not the URL of a Redis server"
        ),
        (
            "{url: redis://localhost/x, secret_file: secret}",
            "is not the URL of a Redis server; write `redis://127.0.0.1:6379/0`"
        ),
        ("{url: redis://localhost/0/1, secret_file: secret}", "is not the URL of a Redis server"),
        ("{url: redis://localhost:0, secret_file: secret}", "is not the URL of a Redis server"),
        ("{url: redis://, secret_file: secret}", "is not the URL of a Redis server"),
        (
            "{url: redis://a:b@localhost, secret_file: secret}",
            "the URL has a user or a password in it; write `user` and `password_file`"
        ),
        (
            "{url: redis://localhost}",
            "`secret_file` is missing; make one for all processes: openssl rand -hex 32 > FILE"
        ),
        ("{url: redis://localhost, secret_file: nowhere}", "shared_state.secret_file: there is no file `nowhere`"),
        (
            "{url: redis://localhost, secret_file: short}",
            "the secret in `short` has 15 bytes, and 16 to 4096 are needed"
        ),
        (
            "{url: redis://localhost, secret_file: secret, password_file: empty}",
            "the password in `empty` has 0 bytes, and 1 to 4096 are needed"
        ),
        (
            "{url: redis://localhost, secret_file: secret, user: me}",
            "`user` needs a password; name its file with `password_file`"
        ),
        ("{url: redis://localhost, secret_file: secret, nodes: 0}", "0 is out of range; write 1 to 10000"),
        ("{url: redis://localhost, secret_file: secret, timeout: 1m}", "`1m` is out of range; write 1ms to 5s"),
        ("{url: redis://localhost, secret_file: secret, host: x}", "shared_state.host: unknown key"),
    ])
    func `a mistake in shared_state is reported with its location`(state: String, problem: String) throws {
        let problems = try Self.load(state).problems.map { $0.rendered(file: "FILE") }
        #expect(problems.contains { $0.contains(problem) && $0.contains(": error: ") }, "\(problems)")
    }

    @Test func `a store on another machine and a secret that others can read cause warnings`() throws {
        let problems = try Self.load("{url: redis://10.0.0.7, secret_file: open}").problems.map {
            $0.rendered(file: "FILE")
        }
        #expect(problems.count == 2 && problems.allSatisfy { $0.contains(": warning: ") })
        #expect(problems.contains { $0.contains("the connection to `10.0.0.7` is not encrypted") }, "\(problems)")
    }

    @Test func `a store that no quota uses causes a warning`() throws {
        let folder = try FolderOfSecrets([("secret", "0123456789abcdef")])
        let text = quotasOfOne.replacingOccurrences(of: "quotas: q, ", with: "")
        let problems = folder.load(text).problems.map { $0.rendered(file: "FILE") }
        #expect(
            problems.contains { $0.contains("shared_state: no quota is counted, so nothing is shared") }, "\(problems)")
    }
}

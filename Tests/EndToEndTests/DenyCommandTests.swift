import AsyncHTTPClient
import Foundation
import JOSE
import JOSESigning
import NIOHTTP1
import TestSupport
import Testing

/// `bearward deny` beside the running gateway: entries by option or taken from a token, its question, and notes.
@Suite(.serialized) struct DenyCommandTests {
    /// A gateway and the folder of its file, for one test.
    private static func withGateway(
        _ body: (DenialStand, ServedFile) async throws -> Void
    ) async throws {
        let upstream = try await LoopbackServer.upstream()
        let stand = try DenialStand(upstream: upstream.url)
        let served = try await ServedFile.start(stand.text())
        try stand.put(stand.text(), "bearward.yaml")
        try await body(stand, served)
        await served.stop()
        await upstream.stop()
    }

    private static func isDenied(_ served: ServedFile, _ token: String) async throws -> Bool {
        try await served.ask("/x", token: token).status == 401
    }

    /// Key with the key ID of the issuer's, which the issuer does not have.
    private static func forger() throws -> SigningKey { try SigningKey.generate(.es256, keyID: TestKeys.ec.keyID) }

    // MARK: By option

    @Test func `bearward deny adds, lists and removes denials in the running gateway`() async throws {
        let upstream = try await LoopbackServer.upstream()
        let stand = try DenialStand(upstream: upstream.url)
        let served = try await ServedFile.start(stand.text())
        try stand.put(stand.text(), "bearward.yaml")
        let token = stand.token("u1")
        #expect(try await served.ask("/x", token: token).status == 200)
        let added = try await stand.deny(
            "--issuer", "logto", "--sub", "u1", "--issued-before", "2100-01-01T00:00:00Z", "--yes")
        #expect(added.status == 0, "\(added)")
        #expect(added.errors.hasSuffix("note: tokens issued at 2100-01-01T00:00:00Z or later stay valid\n"))
        #expect(try await Self.isDenied(served, token))
        #expect(try await stand.deny("--list").output.contains(#""issued_before":"2100-01-01T00:00:00Z""#))
        #expect(try await stand.deny("--issuer", "nobody", "--sub", "u1", "--yes").status == 1)
        #expect(try await stand.deny("--issuer", "logto").status == 64)
        #expect(try await stand.deny("--issuer", "logto", "--sub", "u1", "--jti", "t1").status == 64)
        #expect(try await stand.deny("--issuer", "logto", "--sub", "u1", "--remove").output == "{\"removed\":1}\n")
        #expect(try await stand.deny("--issuer", "logto", "--sub", "u1", "--yes").errors == "")
        #expect(try await stand.deny("--issuer", "logto", "--sub", "u1", "--remove").output == "{\"removed\":1}\n")
        #expect(try await served.ask("/x", token: token).status == 200)
        await served.stop()
        let unanswered = try await stand.deny("--list")
        #expect(unanswered.status == 69 && unanswered.errors.contains("Connection refused"), "\(unanswered)")
        try stand.put(stand.text(state: false), "bearward.yaml")
        let without = try await stand.deny("--list")
        #expect(without.status == 78 && without.errors.contains("`state_directory`"))
        await upstream.stop()
    }

    @Test func `--issued-before now denies the tokens issued until now, and none later`() async throws {
        try await Self.withGateway { stand, served in
            let before = Date().timeIntervalSince1970
            let now = DenialStand.claims("u1").with("iat", "\(Int(before))").signed(by: TestKeys.ec)
            #expect(try await served.ask("/x", token: now).status == 200)
            let added = try await stand.deny("--issuer", "logto", "--sub", "u1", "--issued-before", "now", "--yes")
            #expect(added.status == 0, "\(added)")
            #expect(try await Self.isDenied(served, now))
            let later = DenialStand.claims("u1").with("iat", "\(Int(before) + 45)").signed(by: TestKeys.ec)
            #expect(try await served.ask("/x", token: later).status == 200)
        }
    }

    // MARK: By token

    @Test func `a token is denied by its jti alone, without a question, also after it expired`() async throws {
        try await Self.withGateway { stand, served in
            let (token, other) = (
                DenialStand.claims("u1").with("jti", #""t-9""#).signed(by: TestKeys.ec), stand.token("u1")
            )
            #expect(try await served.ask("/x", token: token).status == 200)
            let denied = try await stand.deny("--token", "-", input: "Bearer \(token)\n")
            #expect(
                denied.status == 0 && denied.errors.isEmpty
                    && denied.output.hasPrefix(#"{"added":[{"issuer":"logto","jti":"t-9","expires":"#), "\(denied)")
            #expect(try await Self.isDenied(served, token))
            #expect(try await served.ask("/x", token: other).status == 200)
            let removed = try await stand.deny("--token", "-", "--remove", input: token)
            #expect(removed.output == "{\"removed\":1}\n", "\(removed)")
            // Expired, and for another audience.
            for (name, value) in [("exp", "1790000000"), ("aud", #""elsewhere""#)] {
                let refused = DenialStand.claims("u1").with("iat", "1789990000").with("jti", "\"\(name)\"")
                    .with(name, value).signed(by: TestKeys.ec)
                let denied = try await stand.deny("--token", "-", input: refused)
                #expect(denied.status == 0 && denied.output.contains("\"jti\":\"\(name)\""), "\(denied)")
            }
        }
    }

    @Test func `a token without jti is denied with its subject's tokens issued until now`() async throws {
        try await Self.withGateway { stand, served in
            // The issuer's clock is half a minute ahead.
            let now = Int(Date().timeIntervalSince1970)
            let claims = DenialStand.claims("u1").with("jti", nil).with("iat", "\(now + 30)")
            let token = claims.signed(by: TestKeys.ec)
            #expect(try await served.ask("/x", token: token).status == 200)
            let unasked = try await stand.deny("--token", "-", input: token)
            #expect(
                unasked.status == 64 && unasked.output.isEmpty
                    && unasked.errors.contains("there is no terminal to ask: deny all tokens of sub u1 of issuer logto")
                    && unasked.errors.contains("add --yes"), "\(unasked)")
            #expect(try await served.ask("/x", token: token).status == 200)
            let denied = try await stand.deny("--token", "-", "--yes", input: token)
            #expect(denied.status == 0 && denied.output.contains(#""sub":"u1","issued_before":"#), "\(denied)")
            #expect(try await Self.isDenied(served, token))
            #expect(try await Self.isDenied(served, stand.token("u1")))
            let later = claims.with("iat", "\(now + 45)").signed(by: TestKeys.ec)
            #expect(try await served.ask("/x", token: later).status == 200)
            let early = try await stand.deny(
                "--token", "-", "--issued-before", "2026-01-01T00:00:00Z", "--yes", input: token)
            #expect(early.status == 64 && early.errors.contains("spares it"), "\(early)")
        }
    }

    @Test func `a forged token denies nobody without --unverified, and the reason is given`() async throws {
        try await Self.withGateway { stand, served in
            let victim = stand.token("victim")
            let claims = DenialStand.claims("victim").with("jti", nil).with("iat", "4000000000")
            let forged = claims.signed(by: try Self.forger())
            let refused = try await stand.deny("--token", "-", "--yes", input: forged)
            #expect(
                refused.status == 1 && refused.output.isEmpty && refused.errors.contains("logto: bad_signature")
                    && refused.errors.contains("add --unverified"), "\(refused)")
            #expect(try await served.ask("/x", token: victim).status == 200)
            let taken = try await stand.deny("--token", "-", "--unverified", "--yes", input: forged)
            #expect(taken.status == 0 && taken.errors.contains("note: the token is not verified"), "\(taken)")
            #expect(try await Self.isDenied(served, victim))
            // The forger does not choose how long new tokens are denied.
            #expect(!taken.output.contains(#""issued_before":"2096"#), "\(taken)")
            let later = DenialStand.claims("victim").with("iat", "\(Int(Date().timeIntervalSince1970) + 45)")
            #expect(try await served.ask("/x", token: later.signed(by: TestKeys.ec)).status == 200)
        }
    }

    @Test func `an unknown issuer and unreachable keys are reported`() async throws {
        try await Self.withGateway { stand, served in
            let foreign = DenialStand.claims("u1").with("iss", #""https://else.example""#).signed(by: TestKeys.ec)
            for options in [[], ["--unverified", "--yes"]] {
                let refused = try await stand.run(
                    ["deny", "-c", stand.path("bearward.yaml"), "--token", "-"] + options, input: foreign)
                #expect(
                    refused.status == 1 && refused.errors.contains("no issuer of the file has the token's `iss`"),
                    "\(refused)")
            }
            let other = try await stand.deny("--token", "-", "--issuer", "company", input: stand.token("u1"))
            #expect(other.status == 64 && other.errors.contains("the token's issuer is logto, not company"), "\(other)")
            let unreachable = stand.text().replacing(
                "jwks_file: \"\(stand.path("keys.json"))\"", with: "jwks_uri: \"http://127.0.0.1:9/keys\"")
            try stand.put(unreachable, "bearward.yaml")
            let keyless = try await stand.deny("--token", "-", input: stand.token("u1"))
            #expect(
                keyless.status == 1 && keyless.errors.contains("logto: its keys are not available")
                    && keyless.errors.contains("Connection refused"), "\(keyless)")
            #expect(try await stand.deny("--token", "-", "--unverified", input: stand.token("u1")).status == 0)
            #expect(try await Self.isDenied(served, stand.token("u1")))
        }
    }

    @Test func `an issuer that the file names twice gets an entry for each name`() async throws {
        let upstream = try await LoopbackServer.upstream()
        let stand = try DenialStand(upstream: upstream.url)
        let twice = stand.text().replacing(
            "issuers:\n  logto:",
            with: "issuers:\n  again: {issuer: \"https://id.example\", token_type: any, "
                + "jwks_file: \"\(stand.path("keys.json"))\"}\n  logto:")
        let served = try await ServedFile.start(twice)
        try stand.put(twice, "bearward.yaml")
        let denied = try await stand.deny("--token", "-", input: stand.token("u1"))
        #expect(denied.status == 0, "\(denied)")
        let list = try await stand.deny("--list").output
        #expect(
            list.contains(#""issuer":"again","jti":"t-1""#) && list.contains(#""issuer":"logto","jti":"t-1""#),
            "\(list)")
        let one = try await stand.deny("--token", "-", "--issuer", "again", "--remove", input: stand.token("u1"))
        #expect(one.output == "{\"removed\":1}\n", "\(one)")
        await served.stop()
        await upstream.stop()
    }

    @Test func `the entry of a realm's token names the realm by its iss`() async throws {
        let upstream = try await LoopbackServer.upstream()
        let stand = try DenialStand(upstream: upstream.url)
        let realms = stand.text().replacing(
            "issuer: \"https://id.example\"", with: "issuer: \"http://127.0.0.1:9/{realm}\", realms: [one, two]"
        ).replacing(", jwks_file: \"\(stand.path("keys.json"))\"", with: "")
        let served = try await ServedFile.start(realms)
        try stand.put(realms, "bearward.yaml")
        let token = DenialStand.claims("u1").with("iss", #""http://127.0.0.1:9/two""#).signed(by: TestKeys.ec)
        let denied = try await stand.deny("--token", "-", "--unverified", input: token)
        #expect(
            denied.status == 0 && denied.output.contains(#""issuer":"http://127.0.0.1:9/two","jti":"t-1""#), "\(denied)"
        )
        await served.stop()
        await upstream.stop()
    }

    @Test func `what no entry can name is a clear error`() async throws {
        try await Self.withGateway { stand, _ in
            let nameless = DenialStand.claims("u1").with("jti", #""""#).with("sub", nil)
            for (input, message) in [
                ("opaque-reference", "the token is opaque (no JWT)"), ("", "no token on standard input"),
                ("a.b", "2 parts instead of 3"), (".x.", "cannot be read as a JWT"),
                (DenialStand.claims("u1").with("iss", nil).signed(by: TestKeys.ec), "the token has no `iss`"),
                (nameless.signed(by: TestKeys.ec), "neither `jti` nor a subject"),
            ] {
                let refused = try await stand.deny("--token", "-", "--yes", input: input)
                #expect(
                    refused.status == 64 && refused.output.isEmpty && refused.errors.contains(message),
                    "\(message): \(refused)")
            }
            for (arguments, message) in [
                (["--token", stand.token("u1")], "other users see arguments"),
                (["--token", "-", "--sub", "u1"], "leave out --jti"),
                (["--sub", "u1"], "or give the token: --token -"),
                (["--issuer", "logto", "--sub", "u1", "--unverified"], "--unverified is about a token"),
                (["--list", "--yes"], "--list takes no other option"),
            ] {
                let refused = try await stand.run(
                    ["deny", "-c", stand.path("bearward.yaml")] + arguments, input: stand.token("u1"))
                #expect(refused.status == 64 && refused.errors.contains(message), "\(message): \(refused)")
                #expect(!refused.errors.contains(stand.token("u1").prefix(20)), "\(refused)")
            }
            let piped = try await stand.run(["deny", "-c", "-", "--token", "-"], input: stand.text())
            #expect(piped.status == 64 && piped.errors.contains("cannot both be on standard input"), "\(piped)")
            #expect(try await stand.deny("--list").output == "{\"denials\":[]}\n")
        }
    }

    // MARK: The question

    @Test(.enabled(if: DenialStand.hasScript, "script is not installed"))
    func `more than a single token is denied after a question, and only by yes`() async throws {
        try await Self.withGateway { stand, served in
            let token = stand.token("u1")
            for answer in ["n", "", "yess", "j"] {
                let asked = try await stand.denyAtTerminal("--issuer logto --sub u1", typing: answer + "\n")
                #expect(
                    asked.status == 1 && asked.output.contains(#"{"issuer":"logto","sub":"u1"}"#)
                        && asked.output.contains("deny all tokens of sub u1 of issuer logto? [y/N]")
                        && asked.output.contains("nothing was denied"), "\(asked)")
                #expect(try await served.ask("/x", token: token).status == 200)
            }
            let unasked = try await stand.deny("--issuer", "logto", "--sub", "u1", input: "y\n")
            #expect(unasked.status == 64 && unasked.errors.contains("add --yes"), "\(unasked)")
            #expect(try await stand.deny("--list").output == "{\"denials\":[]}\n")
            let single = try await stand.denyAtTerminal("--issuer logto --jti t-8", typing: "")
            #expect(single.status == 0 && !single.output.contains("[y/N]"), "\(single)")
            let yes = try await stand.denyAtTerminal("--issuer logto --sub u1", typing: "Yes\n")
            #expect(yes.status == 0, "\(yes)")
            #expect(try await Self.isDenied(served, token))
        }
    }

    @Test(.enabled(if: DenialStand.hasScript, "script is not installed"))
    func `the terminal is asked although standard input gave the token`() async throws {
        try await Self.withGateway { stand, served in
            let token = DenialStand.claims("u1").with("jti", nil).signed(by: TestKeys.ec)
            try stand.put(token + "\ny\n", "leaked")
            let asked = try await stand.denyAtTerminal("--token -", piped: "leaked", typing: "n\n")
            #expect(asked.status == 1 && asked.output.contains("[y/N]"), "\(asked)")
            #expect(try await served.ask("/x", token: token).status == 200)
            let yes = try await stand.denyAtTerminal("--token -", piped: "leaked", typing: "y\n")
            #expect(yes.status == 0 && yes.output.contains(", issued before 20"), "\(yes)")
            #expect(try await Self.isDenied(served, token))
            let typed = try await stand.denyAtTerminal("--token -", typing: "\(token)\ny\n")
            #expect(typed.status == 0, "\(typed)")
        }
    }

    // MARK: Notes

    @Test func `a note is kept, listed and logged with a digest of the entry`() async throws {
        let upstream = try await LoopbackServer.upstream()
        let stand = try DenialStand(upstream: upstream.url)
        var served = try await ServedFile.start(stand.text())
        try stand.put(stand.text(), "bearward.yaml")
        let longest = String(repeating: "é", count: 100)
        for (subject, note) in [("u1", "OPS-1: \"lost\" laptop"), ("u2", longest)] {
            let added = try await stand.deny("--issuer", "logto", "--sub", subject, "--note", note, "--yes")
            #expect(added.status == 0, "\(added)")
        }
        for (note, message) in [
            (longest + "x", "is longer than 200 bytes"), ("", "is empty"),
            ("two\nlines", "has characters that are not printable"),
            ("\u{202e}", "has characters that are not printable"),
        ] {
            let refused = try await stand.deny("--issuer", "logto", "--sub", "u3", "--note", note, "--yes")
            #expect(refused.status == 64 && refused.errors.contains("--note \(message)"), "\(refused)")
        }
        let removed = try await stand.deny(
            "--issuer", "logto", "--sub", "u2", "--remove", "--note", "OPS-1 is closed")
        #expect(removed.status == 0, "\(removed)")
        let lines = served.gateway.lines(of: "Deny list request answered")
        // printf 'logto\0sub\0u1' | sha256sum
        let digest = "d0f4517a7b5db5ce42bf431425309f09128ff625440b7542ab8bb66a2044cc3c"
        #expect(
            lines.first?.contains(#""issuer":"logto""#) == true && lines.first?.contains(#""attribute":"sub""#) == true
                && lines.first?.contains("\"digest\":\"\(digest)") == true
                && lines.first?.contains(#""note":"OPS-1: \"lost\" laptop""#) == true, "\(lines)")
        #expect(lines.last?.contains(#""note":"OPS-1 is closed""#) == true, "\(lines)")
        #expect(!lines.joined().contains("u1"), "\(lines)")
        await served.stop()

        // A file of an earlier version has no notes.
        let file = stand.path("state/denials.jsonl")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains(#""note":"OPS-1: \"lost\" laptop""#))
        try (text + #"{"issuer":"logto","sub":"u4","expires":"2100-01-01T00:00:00Z","decided_at":1}"# + "\n").write(
            toFile: file, atomically: false, encoding: .utf8)
        served = try await ServedFile.start(stand.text())
        let list = try await stand.deny("--list").output
        #expect(list.contains(#""note":"OPS-1: \"lost\" laptop""#) && list.contains(#""sub":"u4""#), "\(list)")
        #expect(try await Self.isDenied(served, stand.token("u1")))
        #expect(try await Self.isDenied(served, stand.token("u4")))
        await served.stop()
        await upstream.stop()
    }

    // MARK: explain

    @Test func `explain knows what was added to the running gateway, where it can read that`() async throws {
        try await Self.withGateway { stand, served in
            let token = stand.token("u1")
            func explain() async throws -> DenialStand.Outcome {
                try await stand.run(
                    ["explain", stand.path("bearward.yaml"), "GET", "/x", "--token", "-"], input: token)
            }
            let before = try await explain()
            // Nothing was saved yet, so this may be another machine.
            #expect(before.output.contains("is not known here (there is no `\(stand.path("state"))`)"), "\(before)")
            #expect(try await stand.deny("--issuer", "logto", "--sub", "u1", "--yes").status == 0)
            let denied = try await explain()
            #expect(
                denied.output.contains("✗ deny list    an entry of logto names its sub")
                    && denied.output.contains("→ 401 denied"), "\(denied)")
            #expect(try await Self.isDenied(served, token))

            let file = stand.path("state/denials.jsonl")
            func expectUnknown(_ reason: String) async throws {
                let told = try await explain()
                #expect(
                    told.output.contains("· deny list    what was added while running is not known here (")
                        && told.output.contains(reason) && told.output.contains("`bearward deny --list`")
                        && told.output.contains("→ forwarded"), "\(told)")
            }
            try FileManager.default.moveItem(atPath: file, toPath: file + ".kept")
            #expect(try await explain().output.contains("✓ deny list    no entry names the token"))
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
            try await expectUnknown("Is a directory")
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: file + ".kept")
            try await expectUnknown("symbolic links")
            try FileManager.default.removeItem(atPath: file)
            try "{\n".write(toFile: file, atomically: false, encoding: .utf8)
            try await expectUnknown("`denials.jsonl`, line 1")
            try stand.put(stand.text().replacing("/state\"", with: "/elsewhere\""), "bearward.yaml")
            try await expectUnknown("there is no `")
            // With entries of deny_file, both are said.
            try stand.put(
                stand.text(list: true).replacing("/state\"", with: "/elsewhere\""), "bearward.yaml")
            try stand.put(#"{"issuer":"logto","sub":"u7"}"#, "deny.jsonl")
            try await expectUnknown("there is no `")
            #expect(try await explain().output.contains("✓ deny list    no entry names the token"))
            // Nothing can have been added.
            try stand.put(stand.text(state: false), "bearward.yaml")
            #expect(!(try await explain().output.contains("deny list")))
        }
    }
}

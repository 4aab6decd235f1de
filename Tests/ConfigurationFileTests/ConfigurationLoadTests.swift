import AccessControl
import ConfigurationFile
import Foundation
import KeySets
import TestSupport
import Testing
import TokenVerification

struct ConfigurationLoadTests {
    private let temporary: TemporaryFolder
    private var folder: URL { temporary.url }

    init() throws { temporary = try TemporaryFolder() }

    private func problems(_ bytes: [UInt8]) throws -> [String] {
        let file = folder.appending(path: "a.yaml")
        try Data(bytes).write(to: file)
        return problems(path: file.path)
    }

    private func problems(path: String) -> [String] {
        Configuration.load(path: path, environment: [:]).problems.map { $0.rendered(file: "FILE") }
    }

    @Test func `a missing configuration file is reported as the only problem`() {
        #expect(problems(path: folder.path + "/b.yaml") == ["FILE:1:1: error: there is no such file"])
    }

    @Test func `a directory is refused as configuration file`() {
        #expect(problems(path: folder.path) == ["FILE:1:1: error: this is a directory; name the file in it"])
    }

    @Test func `a device is refused as configuration file`() {
        #expect(problems(path: "/dev/zero") == ["FILE:1:1: error: this is not a regular file"])
    }

    @Test(.slow) func `a configuration file of 16 MiB is read`() throws {
        var bytes = Array(try ProblemCase.base().utf8) + Array("#".utf8)
        bytes += Array(repeating: UInt8(ascii: "x"), count: 16 * 1024 * 1024 - bytes.count)
        #expect(try problems(bytes) == [])
    }

    @Test func `a configuration file larger than 16 MiB is refused`() throws {
        let bytes = Array(repeating: UInt8(ascii: "#"), count: 16 * 1024 * 1024 + 1)
        #expect(try problems(bytes) == ["FILE:1:1: error: the file is larger than 16 MiB"])
    }

    @Test func `a byte that is not UTF-8 is refused with its line and column`() throws {
        #expect(try problems(Array("a: 1\nbä: ".utf8) + [0xFF]) == ["FILE:2:5: error: the file is not UTF-8 text"])
    }

    @Test func `a truncated UTF-8 sequence at the end is refused`() throws {
        #expect(try problems(Array("a: ".utf8) + [0xC3]) == ["FILE:1:4: error: the file is not UTF-8 text"])
    }

    @Test(arguments: [(UInt8(0), "U+0000"), (0x1B, "U+001B"), (0x7F, "U+007F")])
    func `a control character is refused with its line and column`(_ byte: UInt8, _ name: String) throws {
        let bytes = Array("# ä\nlisten: a".utf8) + [byte]
        #expect(try problems(bytes) == ["FILE:2:10: error: the character \(name) is not allowed in YAML"])
    }

    @Test func `a byte order mark at the beginning is skipped`() throws {
        #expect(
            try problems([0xEF, 0xBB, 0xBF] + Array("x: 1\n".utf8) + Array(try ProblemCase.base().utf8)).first?
                .hasPrefix("FILE:1:1: ")
                == true)
    }

    @Test(arguments: ["\r\n", "\r"])
    func `CR and CRLF count as line ends`(_ lineEnd: String) throws {
        let text = try ProblemCase.base().replacing("{claim: use, value: access}", with: "some").replacing(
            "\n", with: lineEnd)
        let hint = "write `at+jwt` (RFC 9068), `{claim: NAME, value: VALUE}`, or `any`, which takes ID tokens too"
        #expect(
            try problems(Array(text.utf8)) == [
                "FILE:8:17: error: issuers.customers.token_type: `some` is not known here; \(hint)"
            ])
    }

    @Test func `a character beyond ASCII counts as one column`() throws {
        let text = try ProblemCase.base().replacing("listen:", with: "'gruß-🔑': ")
        #expect(try problems(Array(text.utf8)).first?.hasPrefix("FILE:1:1: error: [\"gruß-🔑\"]: unknown key") == true)
        let result = Configuration.load(text: "{ listen: ['ß🔑', 5] }", directory: "", environment: [:])
        #expect(result.problems.map(\.column) == [1, 12, 18])
    }

    @Test(arguments: [(0o644, 0), (0o664, 0), (0o646, 1)])
    func `a configuration file that everyone may write causes a warning (T425)`(_ permissions: Int, _ count: Int) throws
    {
        let path = folder.path + "/a.yaml"
        try Data(try ProblemCase.base().utf8).write(to: folder.appending(path: "a.yaml"))
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        let message =
            "every user of this machine may write this file, and so change who has access; remove the permission: chmod o-w"
        #expect(problems(path: path) == Array(repeating: "FILE:1:1: warning: \(message)", count: count))
    }

    @Test(arguments: ["[", "{a: ", "- ", "? "])
    func `very deep nesting is refused`(_ opening: String) {
        let text = String(repeating: opening, count: 100_000)
        let result = Configuration.load(text: text, directory: "", environment: [:])
        #expect(result.problems.allSatisfy { $0.severity == .error })
        #expect(
            result.problems.contains {
                $0.message.hasPrefix(opening == "? " ? "a key must be text" : "nested deeper than")
            })
    }

    @Test func `key files without keys and CA files without certificates are reported`() throws {
        let text = try ProblemCase.base().replacing(
            "token_type: {claim: use, value: access}",
            with: "token_type: at+jwt\n    jwks_file: ./k.json\n    ca_file: c.pem")
        try Data(text.utf8).write(to: folder.appending(path: "a.yaml"))
        try Data(#"{"keys":[]}"#.utf8).write(to: folder.appending(path: "k.json"))
        try Data("certificate".utf8).write(to: folder.appending(path: "c.pem"))
        let problems = Configuration.load(path: folder.path + "/a.yaml", environment: [:]).problems
        #expect(problems.map(\.severity) == [.warning, .error])
        #expect(
            problems.map(\.message) == [
                "`./k.json` has no usable key: its list of keys is empty", "`c.pem` holds no PEM certificate",
            ])
    }

    @Test(
        arguments: [
            ("\u{FEFF}{\"keys\":[]}", "is not a JWK set: it begins with a byte order mark (U+FEFF)"),
            ("-----BEGIN CERTIFICATE-----\nMIIC", "is a certificate in PEM, not a JWK set"),
            (
                "-----BEGIN PRIVATE KEY-----\nMIIC",
                "is a private key in PEM, not a JWK set; Bearward must never have it"
            ),
            (#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, #"is a single JWK, not a JWK set; write it as {"keys": [ … ]}"#),
            (
                #"{"kty":"RSA","n":"AQAB","e":"AQAB","d":"AQAB"}"#,
                "is a single private or symmetric JWK, not a JWK set; Bearward must never have it"
            ),
            (
                #"{"keys":[{"kty":"RSA","kid":"k","n":"AQAB","e":"AQAB","d":"AQAB"}]}"#,
                "has no usable key: key 0 `k`: it is a private key, so a secret is published"
            ),
        ])
    func `a file that is no key set is reported as the kind of document that it is`(content: String, expected: String)
        throws
    {
        let text = try ProblemCase.base().replacing(
            "token_type: {claim: use, value: access}", with: "token_type: at+jwt\n    jwks_file: ./k.json")
        try Data(text.utf8).write(to: folder.appending(path: "a.yaml"))
        try Data(content.utf8).write(to: folder.appending(path: "k.json"))
        let problems = Configuration.load(path: folder.path + "/a.yaml", environment: [:]).problems
        #expect(problems.map(\.severity) == [.warning])
        #expect(problems.map(\.message) == ["`./k.json` \(expected)"])
    }

    @Test func `relative paths are resolved from the directory of the configuration file`() throws {
        let text = try ProblemCase.base().replacing(
            "token_type: {claim: use, value: access}",
            with: "token_type: at+jwt\n    jwks_file: ./k.json\n    ca_file: c.pem")
        try Data(text.utf8).write(to: folder.appending(path: "a.yaml"))
        for (name, copied) in [("k.json", "keys.json"), ("c.pem", "ca.pem")] {
            let source = URL(fileURLWithPath: ProblemCase.directory).appending(path: copied)
            try FileManager.default.copyItem(at: source, to: folder.appending(path: name))
        }
        let result = Configuration.load(path: folder.path + "/a.yaml", environment: [:])
        #expect(result.problems == [])
        guard case .success(let configuration, _) = result else { return }
        #expect(configuration.issuers.last?.keySets.first?.source == .file(path: folder.path + "/k.json"))
        #expect(configuration.issuers.last?.keySets.first?.caFile == folder.path + "/c.pem")
    }

    @Test func `a symbolic link to a configuration file is followed`() throws {
        try Data(try ProblemCase.base().utf8).write(to: folder.appending(path: "a.yaml"))
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/b.yaml", withDestinationPath: "a.yaml")
        #expect(problems(path: folder.path + "/b.yaml") == [])
    }
}

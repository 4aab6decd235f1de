import ArgumentParser
import AsyncHTTPClient
import ConfigurationFile
import NIOCore
import NIOHTTP1
import StrictJSON

/// `bearward deny`: makes the running gateway reject tokens from now on, or shows or removes entries.
struct Deny: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Make the running gateway reject tokens at once: those of a subject, session, client or key, or a single token.",
        discussion: """
            Sends a request to the file's `admin` address with the token of `admin.token_file`, and prints the answer. \
            Exits with 0 if the denial is saved and in force, and shared with the other gateways, with 1 if not, with \
            69 if there is no answer in time, and with 78 if the file has errors, or does not permit denials.

            bearward deny --issuer logto --sub u1
            """)

    @OptionGroup var options: ConfigurationOptions

    private var file: ConfigurationSource { options.source }

    @Option(help: "The name of the issuer in the file.")
    var issuer: String?

    @Option(help: "The ID of a single token (`token_id` in the access log).")
    var jti: String?

    @Option(help: "The subject, as the access log states it.")
    var sub: String?

    @Option(help: "The session.")
    var sid: String?

    @Option(help: "The client that tokens were issued to.")
    var client: String?

    @Option(help: "The key that tokens are signed with.")
    var kid: String?

    @Option(help: "Only tokens issued before this time, and tokens without `iat`: a time such as 2026-11-22T10:00:00Z.")
    var issuedBefore: String?

    @Option(
        help:
            "When the denial ends. By default, once all these tokens have expired (the issuer's `max_lifetime`, else 90 days)."
    )
    var expires: String?

    @Flag(help: "Remove what was added about these tokens.")
    var remove = false

    @Flag(help: "Show what was added.")
    var list = false

    /// Maximum size of an answer in bytes. A list with the maximum number of entries fits in it.
    private static let longestAnswer = 256 * 1024 * 1024
    private static let timeout = TimeAmount.seconds(15)

    private var named: [(name: String, value: String)] {
        [("jti", jti), ("sub", sub), ("sid", sid), ("client", client), ("kid", kid)].compactMap { name, value in
            value.map { (name: name, value: $0) }
        }
    }

    func validate() throws {
        if list {
            guard named.isEmpty, issuer == nil, !remove else { throw ValidationError("--list takes no other option") }
            return
        }
        guard issuer != nil else { throw ValidationError("name the issuer: --issuer NAME") }
        guard named.count == 1 else {
            throw ValidationError("name exactly one of --jti, --sub, --sid, --client and --kid")
        }
    }

    func run() async throws {
        let (configuration, url) = try file.adminListener()
        guard let token = configuration.adminToken, configuration.takesDenials else {
            let missing = configuration.adminToken == nil ? "admin.token_file" : "state_directory"
            StandardStreams.tell(
                .error, "nothing can be denied while the gateway runs: there is no `\(missing)`", of: file.name)
            throw ExitCode.configurationErrors
        }
        let (status, body) = try await AdminClient.answer(
            to: request(url, token: String(decoding: token, as: UTF8.self)), within: Self.timeout,
            longestAnswer: Self.longestAnswer)
        try StandardStreams.data(String(buffer: body))
        guard status == 200 else { throw ExitCode(1) }
        if !remove, let issuedBefore {
            StandardStreams.tell(.note, "tokens issued at \(issuedBefore) or later stay valid", of: file.name)
        }
    }

    private func request(_ url: String, token: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url + "/api/denials" + (remove ? "/remove" : ""))
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        guard !list else { return request }
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: entry))
        return request
    }

    private var entry: [UInt8] {
        JSONObjectWriter.object { json, bytes in
            let members =
                [("issuer", issuer)] + named.map { ($0.name, $0.value) } + [
                    ("issued_before", issuedBefore), ("expires", expires),
                ]
            for (name, value) in members {
                guard let value else { continue }
                json.member(name, string: value, into: &bytes)
            }
        }
    }
}

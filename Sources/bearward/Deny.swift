import AccessControl
import ArgumentParser
import AsyncHTTPClient
import ConfigurationFile
import FoundationEssentials
import NIOCore
import NIOHTTP1
import TokenVerification

/// `bearward deny`: makes the running gateway reject tokens from now on, or shows or removes entries.
struct Deny: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Make the running gateway reject tokens at once: those of a subject, session, client or key, or a single token.",
        discussion: """
            Sends a request to the file's `admin` address with the token of `admin.token_file`, and prints the answer. \
            Exits with 0 if the denial is saved and in force, and shared with the other gateways, with 1 if not, with \
            69 if there is no answer in time, and with 78 if the file has errors, or does not permit denials.

            bearward deny --token - <token.txt
            bearward deny --issuer logto --sub u1

            A token is denied by its `jti`, otherwise with all tokens of its subject that were issued until now. A key of \
            its issuer must have signed it; it may have expired. To deny more than single tokens, the command asks, unless \
            --yes is given.
            """)

    @OptionGroup var options: ConfigurationOptions

    private var file: ConfigurationSource { options.source }

    @Option(help: "Deny the token on standard input (-): issuer and `jti`, or else the subject, are taken from it.")
    var token: String?

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

    @Option(
        help:
            "Only tokens issued before this time, and tokens without `iat`: a time such as 2026-11-22T10:00:00Z, or now."
    )
    var issuedBefore: String?

    @Option(
        help:
            "When the denial ends. By default, once all these tokens have expired (the issuer's `max_lifetime`, else 90 days)."
    )
    var expires: String?

    @Option(help: "A ticket or reason, at most 200 bytes in one line. It is listed and logged with the entry.")
    var note: String?

    @Flag(help: "Deny what the token names although it is not verified, and may be forged.")
    var unverified = false

    @Flag(help: "Deny without asking.")
    var yes = false

    @Flag(help: "Remove what was added about these tokens.")
    var remove = false

    @Flag(help: "Show what was added.")
    var list = false

    /// Maximum size of an answer in bytes. A list with the maximum number of entries fits in it.
    private static let longestAnswer = 256 * 1024 * 1024
    private static let timeout = TimeAmount.seconds(15)

    private var named: [(attribute: DeniedAttribute, value: String)] {
        let values = [
            (DeniedAttribute.tokenID, jti), (.subject, sub), (.session, sid), (.client, client), (.keyID, kid),
        ]
        return values.compactMap { attribute, value in value.map { (attribute: attribute, value: $0) } }
    }

    func validate() throws {
        if list {
            guard named.isEmpty, issuer == nil, token == nil, note == nil, !remove, !unverified, !yes else {
                throw ValidationError("--list takes no other option")
            }
            return
        }
        if let note, let fault = DenyEntry.fault(ofNote: note) { throw ValidationError("the text of --note \(fault)") }
        guard token == nil else { return try judgeToken() }
        guard !unverified else { throw ValidationError("--unverified is about a token: --token -") }
        guard issuer != nil else {
            throw ValidationError("name the issuer: --issuer NAME; or give the token: --token -")
        }
        guard named.count == 1 else {
            throw ValidationError("name exactly one of --jti, --sub, --sid, --client and --kid")
        }
    }

    private func judgeToken() throws {
        guard token == "-" else {
            throw ValidationError(
                "write --token - and give the token on standard input: other users see arguments in `ps`")
        }
        guard named.isEmpty else {
            throw ValidationError(
                "the token itself says whom to deny; leave out --jti, --sub, --sid, --client and --kid")
        }
        guard !file.isStandardInput else {
            throw ValidationError("the file and the token cannot both be on standard input")
        }
    }

    func run() async throws {
        let (configuration, url) = try file.adminListener()
        guard let secret = configuration.adminToken, configuration.takesDenials else {
            let missing = configuration.adminToken == nil ? "admin.token_file" : "state_directory"
            StandardStreams.tell(
                .error, "nothing can be denied while the gateway runs: there is no `\(missing)`", of: file.name)
            throw ExitCode.configurationErrors
        }
        let caller = Caller(url: url + "/api/denials", secret: String(decoding: secret, as: UTF8.self))
        guard !list else { return try await send(nil, by: caller) }
        let entries = try await entries(configuration)
        if !remove, !yes { try entries.confirm(inputIsTaken: token != nil) }
        for entry in entries { try await send(entry, by: caller) }
        // All entries have the same time.
        if !remove, let time = entries.first?.issuedBefore {
            StandardStreams.tell(.note, "tokens issued at \(time) or later stay valid", of: file.name)
        }
    }

    private func entries(_ configuration: Configuration) async throws -> [AskedEntry] {
        let now = NumericDate(clock: Date().timeIntervalSince1970)
        let before = issuedBefore == "now" ? "\(LeakedToken.nextSecond(after: now))" : issuedBefore
        guard token == nil else {
            var token = try LeakedToken(LeakedToken.fromStandardInput(), configuration, only: issuer)
            try await token.prove(isNeeded: !unverified)
            return try token.entries(
                issuedBefore: issuedBefore == "now" ? nil : before, expires: expires, note: note)
        }
        return named.map {
            AskedEntry(
                issuer: issuer ?? "", attribute: $0.attribute, value: $0.value, issuedBefore: before, expires: expires,
                note: note)
        }
    }

    /// Address of the running gateway's deny list, and the token of `admin.token_file`.
    private struct Caller {
        let url: String
        let secret: String
    }

    /// Sends an entry, or asks for the list, and prints the answer.
    ///
    /// - Throws: an exit code if the gateway did not do it.
    private func send(_ entry: AskedEntry?, by caller: Caller) async throws {
        var request = HTTPClientRequest(url: caller.url + (remove ? "/remove" : ""))
        request.headers.add(name: "Authorization", value: "Bearer \(caller.secret)")
        if let entry {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: entry.json))
        }
        let (status, body) = try await AdminClient.answer(
            to: request, within: Self.timeout, longestAnswer: Self.longestAnswer)
        try StandardStreams.data(String(buffer: body))
        guard status == 200 else { throw ExitCode(1) }
    }
}

import ArgumentParser
import AuthorizationDoors
import ConfigurationFile
import FoundationEssentials
import RequestAuthorization
import StrictJSON
import TokenVerification

/// `bearward explain`: shows step by step how one request is judged, with the code that would judge it.
struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how one request would be judged, step by step.",
        usage: "bearward explain [FILE] METHOD URL [OPTION ...]",
        discussion:
            "Exits with 0 whenever a verdict was printed, whatever the verdict is; with --fail, with 1 if it is a refusal.",
    )

    @OptionGroup var option: ConfigurationOption

    @Argument(
        help: """
            The request's method, for example GET, and its URL, or its path alone. The configuration file may precede \
            them, as with --config.
            """,
        completion: .file(extensions: ["yaml", "yml"]))
    var request: [String]

    /// The method. Method and URL are always the last two words: a method could be mistaken for a file otherwise.
    private var method: String { request.dropLast().last ?? "" }
    private var url: String { request.last ?? "" }
    /// The configuration file. Nil if none is given before the method.
    private var argument: String? { request.count > 2 ? request.first : nil }

    private var file: ConfigurationSource { option.source(besides: argument) }

    @Option(help: "The bearer token, with `Bearer ` before it or without; - reads it from standard input.")
    var token: String?

    @Option(help: "A further field, `Name: value`; may be given several times.")
    var header: [String] = []

    @Option(help: "Treat method, URL and fields as a forward auth request of this kind (a door).")
    var door: DoorKind?

    @Option(help: "Judge as of this time: RFC 3339 or Unix seconds. Default: now.")
    var at: TimeArgument?

    @Flag(help: "Fetch no key set; files are still read.")
    var offline = false

    @Option(help: "How to print it.")
    var format = OutputFormat.text

    @Flag(help: "End with 1 if the request would be refused.")
    var fail = false

    func validate() throws {
        guard (2...3).contains(request.count) else {
            throw ValidationError("name the method and the URL: explain [FILE] METHOD URL")
        }
        try option.judge(besides: argument)
        guard !Self.isFile(method) else {
            throw ValidationError(
                "the method is missing between '\(method)' and '\(ExplainedRequest.shown(url))'".visible)
        }
        guard ExplainedRequest.isURL(url) else {
            let shown = ExplainedRequest.shown(url)
            throw ValidationError(
                "'\(shown)' is neither an http or https URL nor a path that begins with a slash".visible)
        }
        if file.isStandardInput, token == "-" {
            throw ValidationError("the file and the token cannot both be on standard input")
        }
    }

    func run() async throws {
        let configuration = try file.loadOrExit()
        let now = at?.date ?? NumericDate(clock: Date().timeIntervalSince1970)
        let request = ExplainedRequest(method: method, url: url, token: try readToken(), fields: header)
        let explainer = try Explainer(configuration, offline: offline, now: now)
        let explanation = await explainer.explain(request, at: door)
        switch format {
        case .text:
            try StandardStreams.data(
                ExplanationText(explanation, request, paint: StandardStreams.paint).rendered)
        case .json: try StandardStreams.data(explanation.json)
        }
        for note in await explainer.notes { StandardStreams.tell(.note, note) }
        if fail, explanation.isRefusal { throw ExitCode(1) }
    }

    /// Whether the word in the method's position is certainly a file name: no method contains a slash.
    private static func isFile(_ word: String) -> Bool {
        word.contains("/") || word.hasSuffix(".yaml") || word.hasSuffix(".yml")
    }

    private func readToken() throws -> String? {
        guard token == "-" else { return token.map(Self.withoutScheme) }
        guard let line = readLine(strippingNewline: true), !line.isEmpty else {
            throw ValidationError("no token on standard input")
        }
        return Self.withoutScheme(line)
    }

    /// The token without `Bearer`, if the whole value of an `Authorization` field was given.
    static func withoutScheme(_ text: String) -> String {
        let scheme = "bearer "
        guard text.lowercased().hasPrefix(scheme) else { return text }
        return String(text.dropFirst(scheme.count).drop { $0 == " " })
    }
}

extension DoorKind: ExpressibleByArgument {}

/// A time as an option: RFC 3339 or seconds since 1970.
struct TimeArgument: ExpressibleByArgument {
    let date: NumericDate

    init?(argument: String) {
        guard let date = NumericDate(written: argument) else { return nil }
        self.date = date
    }
}

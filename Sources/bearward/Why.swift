import ArgumentParser
import AsyncHTTPClient
import ConfigurationFile
import Files
import NIOCore
import NIOHTTP1
import StrictJSON
import SystemPackage

/// `bearward why`: shows why a request was refused, by its request ID.
struct Why: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show why a request was refused, by its request ID.",
        discussion: """
            Asks the running gateway, at the file's `admin` address with the token of `admin.token_file`; it keeps the \
            latest refusals, 4 MiB of them. With --log it reads an access log instead, and no configuration file.

            bearward why 0123456789abcdef0123456789abcdef
            zcat access.log.1.gz | bearward why 0123456789abcdef0123456789abcdef --log -

            Exits with 0 if the request was found, with 1 if not, with 69 if there is no answer in time, and with 78 if \
            the file has errors, or no `admin.token_file`.
            """)

    @OptionGroup var option: ConfigurationOption

    @Argument(help: "The `X-Request-ID` of the answer, which is `request_id` in the access log.")
    var requestID: String

    @Option(help: "Read this access log, or standard input (-), and ask no gateway.", completion: .file())
    var log: String?

    @Option(help: "How to print it.")
    var format = OutputFormat.text

    private var file: ConfigurationSource { option.source(besides: nil) }

    /// Number of requests that are shown. Only a trusted proxy can give several the same ID.
    private static let mostRequests = 10
    /// Maximum size of an answer in bytes: the longest lines that a gateway keeps.
    private static let longestAnswer = 1024 * 1024
    private static let timeout = TimeAmount.seconds(15)

    func validate() throws {
        let isPlain = requestID.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isPlain, (1...128).contains(requestID.utf8.count) else {
            throw ValidationError("a request ID has 1 to 128 letters, digits, dots, hyphens and underscores")
        }
        guard log == nil || option.config == nil else {
            throw ValidationError("--log needs no configuration file; leave out --config")
        }
    }

    func run() async throws {
        let lines = if let log { try Self.lines(of: requestID, in: log) } else { try await keptLines() }
        guard !lines.isEmpty else { throw notFound() }
        for (index, line) in lines.enumerated() {
            if index > 0, format == .text { try StandardStreams.data("\n") }
            switch format {
            case .text: try StandardStreams.data(LoggedRequestText(line.root, paint: StandardStreams.paint).rendered)
            case .json:
                try StandardStreams.data(String(decoding: line.root.serialized(), as: UTF8.self) + "\n")
            }
        }
    }

    private func notFound() -> ExitCode {
        let advice =
            log == nil
            ? "the gateway keeps only the latest refusals; --log FILE finds every request that was logged"
            : "the log of another gateway may have it, or a rotated file"
        StandardStreams.tell(.error, "no request \(requestID) was found; \(advice)", of: log?.visible ?? file.name)
        return ExitCode(1)
    }

    // MARK: The gateway

    /// Lines that the running gateway keeps, newest first.
    private func keptLines() async throws -> [JSONDocument] {
        let (configuration, url) = try file.adminListener()
        guard let secret = configuration.adminToken else {
            StandardStreams.tell(
                .error, "the gateway keeps no refusals: there is no `admin.token_file`; --log FILE reads an access log",
                of: file.name)
            throw ExitCode.configurationErrors
        }
        var request = HTTPClientRequest(
            url: "\(url)/api/refusals?request_id=\(requestID)&limit=\(Self.mostRequests)")
        request.headers.add(name: "Authorization", value: "Bearer \(String(decoding: secret, as: UTF8.self))")
        let (status, body) = try await AdminClient.answer(
            to: request, within: Self.timeout, longestAnswer: Self.longestAnswer)
        let answer = Array(body.readableBytesView)
        guard status == 200, let document = Self.document(answer), let refusals = document.root["refusals"] else {
            let words = String(decoding: answer.prefix(1024), as: UTF8.self).visible
            StandardStreams.tell(.error, "the gateway answered \(status): \(words)", of: file.name)
            throw ExitCode(1)
        }
        return refusals.elements.compactMap { Self.document($0.serialized()) }
    }

    // MARK: The log

    /// The last lines of a request in an access log, newest first.
    private static func lines(of requestID: String, in path: String) throws -> [JSONDocument] {
        do throws(Errno) {
            let file = path == "-" ? OpenFile.standardInput : try OpenFile(path, .readOnly)
            var search = LineSearch(for: Array(requestID.utf8))
            var found: [JSONDocument] = []
            while true {
                let part = try file.read(upTo: readSize)
                let lines = part.isEmpty ? search.end() : search.lines(in: part)
                // Another member may have the same text.
                let documents = lines.compactMap(document)
                found += documents.filter { $0.root["request_id"]?.isString(equalTo: requestID) == true }
                found = Array(found.suffix(mostRequests))
                if part.isEmpty { return found.reversed() }
            }
        } catch {
            StandardStreams.tell(.error, "the log cannot be read: \(error.words)", of: path.visible)
            throw ExitCode(1)
        }
    }

    private static let readSize = 1024 * 1024

    /// Parses a line of the log. Nil if it is not JSON.
    private static func document(_ line: [UInt8]) -> JSONDocument? {
        try? JSONDocument(
            parsing: line, limits: JSONLimits(depth: JSONLimits.greatestDepth, members: .max, bytes: .max))
    }
}

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import OperatorConsole
import StrictJSON

/// Answers of the running gateway that `bearward top` shows.
struct TopAnswers {
    /// Failure to get an overview.
    enum Failure: Error {
        case noAnswer(AdminClient.NoAnswer)
        /// The gateway answered that, or something that is no overview.
        case refused(words: String)
    }

    private let overview: JSONDocument
    private let callers: JSONDocument?
    private let refusals: JSONDocument?
    /// Reasons why there are no callers or refusals.
    private let notes: [String]
    private let asked = ContinuousClock.now

    /// Number of refusals that are asked for: as many as a tall terminal shows.
    private static let mostRefusals = 30
    /// Maximum size of an answer in bytes. An overview has a few hundred for each rule, target and issuer.
    private static let longestAnswer = 16 * 1024 * 1024
    private static let timeout = TimeAmount.seconds(15)

    /// Asks the gateway.
    ///
    /// - Parameter token: the token of `admin.token_file`. Nil if the file has none; then persons are not asked for.
    init(url: String, token: [UInt8]?) async throws(Failure) {
        let overview = try await Self.answer(url + "/api/overview", token: nil)
        guard let document = overview.document else { throw .refused(words: overview.words) }
        self.overview = document
        guard let token else {
            (callers, refusals) = (nil, nil)
            notes = ["callers and the latest refusals need `admin.token_file`"]
            return
        }
        let callers = try await Self.answer(url + "/api/callers", token: token)
        let refusals = try await Self.answer(url + "/api/refusals?limit=\(Self.mostRefusals)", token: token)
        (self.callers, self.refusals) = (callers.document, refusals.document)
        notes = [("callers", callers), ("refusals", refusals)].compactMap { name, answer in
            answer.document == nil ? "\(name): \(answer.words)" : nil
        }
    }

    /// The screen of these answers.
    ///
    /// - Parameter earlier: the answers before. Nil if there are none.
    func screen(after earlier: TopAnswers?) -> TopScreen {
        TopScreen(
            overview: overview.root, callers: callers?.root, refusals: refusals?.root,
            earlier: earlier.map { ($0.overview.root, asked - $0.asked) }, notes: notes)
    }

    private static func answer(_ url: String, token: [UInt8]?) async throws(Failure) -> Answer {
        var request = HTTPClientRequest(url: url)
        if let token {
            request.headers.add(name: "Authorization", value: "Bearer \(String(decoding: token, as: UTF8.self))")
        }
        do throws(AdminClient.NoAnswer) {
            let (status, body) = try await AdminClient.silentAnswer(
                to: request, within: timeout, longestAnswer: longestAnswer)
            return Answer(status: status, body: Array(body.readableBytesView))
        } catch {
            throw .noAnswer(error)
        }
    }
}

/// Answer of the gateway to one request.
private struct Answer {
    private let status: UInt
    private let body: [UInt8]
    /// The body. Nil if the status is another one than 200, or if the body is not JSON.
    let document: JSONDocument?

    init(status: UInt, body: [UInt8]) {
        (self.status, self.body) = (status, body)
        let limits = JSONLimits(depth: JSONLimits.greatestDepth, members: .max, bytes: .max)
        document = status == 200 ? try? JSONDocument(parsing: body, limits: limits) : nil
    }

    /// The answer for a person, if it is none of those expected.
    var words: String {
        "the gateway answered \(status): \(String(decoding: body.prefix(1024), as: UTF8.self).visible)"
    }
}

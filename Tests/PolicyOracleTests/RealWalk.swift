import AssumedTokens
import ConfigurationFile
import HTTPMessages
import PolicyOracle
import ProxySettings
import RequestAuthorization
import TokenVerification

/// The gateway's own verdicts, with a file loaded as `serve` loads it.
struct RealWalk {
    /// A file that the gateway refuses.
    struct UnusableFile: Error, CustomStringConvertible {
        let description: String
    }

    private let authorizer: AssumedAuthorizer
    private let now: NumericDate

    init(_ yaml: String, at seconds: Int) throws {
        now = NumericDate(seconds: Double(seconds))
        let result = Configuration.load(
            bytes: Array(yaml.utf8), directory: "", environment: [:], checkIdentity: TLSIdentityCheck { _, _ in },
            at: now)
        guard case .success(let configuration, _) = result else {
            let errors = result.problems.filter { $0.severity == .error }
            throw UnusableFile(description: "\(errors)\n\(yaml)")
        }
        authorizer = try AssumedAuthorizer(
            resources: configuration.protectedResources, issuers: configuration.issuers.mapped(\.trusted))
    }

    func answer(to request: Request) -> Answer {
        let head: RequestHead
        do throws(RequestHeadRejection) {
            head = try Self.head(of: request)
        } catch {
            return Self.refused(.message(error.fault))
        }
        var judged = AuthorizationRequest(head: head)
        switch authorizer.judge(&judged, signedBy: .named, at: now) {
        case .forward(let forwarding, let facts):
            if let would = facts.would { return .observed(status: would.status, reason: would.label) }
            return .forwarded(issuer: Self.statedIssuer(forwarding))
        case .reject(let rejection, _): return Self.refused(rejection.reason)
        case .preflight(let answer, _): return Self.refused(.preflight(answer.verdict))
        case .wait(let wait, _): return Self.refused(wait.unavailableReason)
        case .publish: return .forwarded(issuer: "a document of the gateway's")
        }
    }

    private static func refused(_ reason: RejectionReason) -> Answer {
        .refused(status: reason.status, reason: reason.label)
    }

    /// Value of the header in which every resource of the oracle's files states the issuer.
    private static func statedIssuer(_ forwarding: Forwarding) -> String? {
        String(decoding: forwarding.identityFields, as: UTF8.self).split(separator: "\r\n").lazy
            .compactMap { line in line.split(separator: ": ", maxSplits: 1).last.map(String.init) }.first
    }

    // MARK: The request as bytes

    private static func head(of request: Request) throws(RequestHeadRejection) -> RequestHead {
        let target = request.path + (request.query.map { "?" + $0 } ?? "")
        let lines =
            ["\(request.method) \(target) HTTP/1.1", "Host: \(request.host)"]
            + fields("Authorization", prefix: "Bearer ", request.credentials)
            + fields("X-Token", prefix: request.tokenFieldPrefix, request.tokenField)
            + fields("X-Other", prefix: "", request.otherField)
        var parser = RequestHeadParser()
        let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        guard try parser.parse(bytes.span) == .complete else { throw .malformedRequestLine }
        return parser.head
    }

    private static func fields(_ name: String, prefix: String, _ credentials: Credentials) -> [String] {
        switch credentials {
        case .none: []
        case .empty: ["\(name):"]
        case .otherScheme: ["\(name): Basic eDp5"]
        case .malformed(let text), .text(let text): ["\(name): \(prefix)\(text)"]
        case .twice: ["\(name): \(prefix)a.b.c", "\(name): \(prefix)a.b.c"]
        case .token(let token): ["\(name): \(prefix)\(compact(token))"]
        }
    }

    private static func compact(_ token: Token) -> String {
        AssumedToken(
            header: Array(JSON.object(token.header).written.utf8), claims: Array(JSON.object(token.claims).written.utf8)
        ).compact
    }
}

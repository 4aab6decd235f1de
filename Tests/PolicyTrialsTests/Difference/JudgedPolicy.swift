import AccessControl
import AssumedTokens
import ConfigurationFile
import HTTPMessages
import ProxySettings
import RequestAuthorization
import TokenVerification

/// A configuration that judges requests, independent of the comparison.
struct JudgedPolicy {
    let configuration: Configuration
    let authorizer: AssumedAuthorizer

    init(_ configuration: Configuration) throws {
        self.configuration = configuration
        authorizer = try AssumedAuthorizer(
            resources: configuration.protectedResources, issuers: configuration.issuers.mapped(\.trusted))
    }

    /// A request head as a client sends it.
    static func head(_ method: String, _ url: String, _ fields: [String]) throws -> RequestHead {
        let rest = url.hasPrefix("/") ? "localhost" + url : String(url.split(separator: "//", maxSplits: 1).last ?? "")
        let host = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(host.count)
        let lines = ["\(method) \(path.isEmpty ? "/" : path) HTTP/1.1", "Host: \(host)"] + fields
        var parser = RequestHeadParser()
        guard try parser.parse(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8).span) == .complete else {
            throw RequestHeadRejection.malformedRequestLine
        }
        return parser.head
    }

    func outcome(_ head: RequestHead) -> Outcome {
        var request = AuthorizationRequest(head: head)
        let now = NumericDate(seconds: Double(RequestDomain.now))
        switch authorizer.judge(&request, signedBy: .named, at: now) {
        case .forward(let forwarding, let facts):
            let upstream = forwarding.upstream.flatMap { configuration.upstreams[$0] }
            let lines = String(decoding: forwarding.identityFields, as: UTF8.self).split(separator: "\r\n").map(
                String.init)
            let path = String(decoding: request.path.canonical.dropFirst(forwarding.pathStart), as: UTF8.self)
            return Outcome(
                rule: name(facts),
                sent: [
                    "upstream": upstream?.addresses.sorted().joined(separator: " ") ?? "",
                    "host": upstream?.hostOverride ?? "",
                    "path": path.isEmpty ? "/" : path,
                    "authorization": forwarding.keepsAuthorization
                        ? "kept" : String(decoding: forwarding.tokenField ?? [], as: UTF8.self),
                ].merging(
                    lines.map { line in
                        let name = line.prefix { $0 != ":" }
                        return ("identity.\(name.lowercased())", String(line.dropFirst(name.count + 2)))
                    }, uniquingKeysWith: { first, _ in first }))
        case .reject(_, let facts), .preflight(_, let facts), .publish(_, let facts), .wait(_, let facts):
            return Outcome(rule: name(facts), sent: nil)
        }
    }

    /// The resource and the rule, as written in the file.
    private func name(_ facts: AuthorizationFacts) -> String {
        guard let resource = facts.resource else { return "none" }
        let configured = configuration.resources[resource]
        let rule = facts.rule.flatMap { configured?.rules[$0]?.name } ?? "none"
        return "\(configured?.terms.identifier ?? "") \(rule)"
    }
}

/// Outcome of a request.
struct Outcome: Hashable {
    let rule: String
    /// Request as the upstream sees it. Nil if it is refused.
    let sent: [String: String]?

    /// Kinds of difference: `now_allowed`, `now_refused`, or the parts that the upstream receives differently.
    func differences(to new: Outcome) -> [String] {
        switch (sent, new.sent) {
        case (nil, nil): []
        case (nil, _?): ["now_allowed"]
        case (_?, nil): ["now_refused"]
        case (let old?, let new?): Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        }
    }
}

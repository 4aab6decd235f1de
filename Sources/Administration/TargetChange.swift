import HTTPTypes
import Hummingbird
import NIOCore

/// An operator takes a target out, or brings it back.
public struct TargetChange: Sendable, Hashable {
    /// As `/api/upstreams` has it.
    public let target: String
    /// nil: of each resource.
    public let resource: String?
    /// The path prefix; nil: each.
    public let path: String?
    public let isDrained: Bool
}

/// The request for it: who may ask, and what is missing.
struct TargetChangeRequest {
    /// What a request has to have that changes something; nil: none can.
    let token: [UInt8]?
    let isDrained: Bool

    enum Verdict: Hashable {
        case change(TargetChange)
        case refusal(Int, String)
    }

    func judge(host: String?, authorization: String?, _ parameter: (String) -> String?) -> Verdict {
        guard LocalHost.permits(host) else { return .refusal(421, LocalHost.refusal) }
        guard let token else { return .refusal(403, "nothing can be changed here: the file has no admin.token_file") }
        guard let authorization, Self.matches(authorization, token) else {
            return .refusal(401, "send the token of admin.token_file: `Authorization: Bearer TOKEN`")
        }
        guard let target = parameter("target"), !target.isEmpty else { return .refusal(400, "name a target: ?target=HOST:PORT") }
        return .change(TargetChange(target: target, resource: parameter("resource"), path: parameter("path"), isDrained: isDrained))
    }

    /// In a time that depends on the lengths alone.
    private static func matches(_ authorization: String, _ token: [UInt8]) -> Bool {
        let scheme = "bearer "
        guard authorization.lowercased().hasPrefix(scheme) else { return false }
        let sent = Array(authorization.utf8.dropFirst(scheme.utf8.count))
        guard sent.count == token.count else { return false }
        return zip(sent, token).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

import HTTPTypes
import Hummingbird
import NIOCore

/// Operator's command to drain a target or return it to rotation.
public struct TargetChange: Sendable, Hashable {
    /// The target's name as in `/api/upstreams`.
    public let target: String
    /// The resource's identifier. Nil for all resources.
    public let resource: String?
    /// The path prefix of the upstream. Nil for all paths.
    public let path: String?
    public let isDrained: Bool
}

/// Validates an operator's request to drain a target or return it.
struct TargetChangeRequest {
    /// The bearer token that changes require. Nil if changes are disabled.
    let token: [UInt8]?
    let isDrained: Bool

    enum Verdict: Hashable {
        case change(TargetChange)
        case refusal(Int, String)
    }

    func judge(host: String?, authorization: String?, _ parameter: (String) -> String?) -> Verdict {
        if let refusal = ChangePermission(token: token).refusal(host: host, authorization: authorization) {
            return .refusal(refusal.status, refusal.words)
        }
        guard let target = parameter("target"), !target.isEmpty else {
            return .refusal(400, "name a target: ?target=HOST:PORT")
        }
        return .change(
            TargetChange(target: target, resource: parameter("resource"), path: parameter("path"), isDrained: isDrained)
        )
    }
}

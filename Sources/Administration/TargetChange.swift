import HTTPTypes
import Hummingbird
import NIOCore

/// An operator takes a target out, or brings it back.
public struct TargetChange: Sendable, Hashable {
    /// Name of the target, as in `/api/upstreams`.
    public let target: String
    /// The resource. Nil for every resource.
    public let resource: String?
    /// The path prefix. Nil for every prefix.
    public let path: String?
    public let isDrained: Bool
}

/// The request for it: who may ask, and what is missing.
struct TargetChangeRequest {
    /// Token that a request must have to change something. Nil if none can.
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

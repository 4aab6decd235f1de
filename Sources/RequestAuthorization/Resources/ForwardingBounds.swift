import AccessControl
import TokenVerification

/// Bounds of forwarded requests that a resource or a rule sets, within those of the whole gateway.
public struct ForwardingBounds: Sendable, Hashable {
    /// Longest request body, in bytes. Nil if the gateway's bound applies.
    public var body: Int?
    /// Time limit from the end of the request until the upstream's response head. Nil if the gateway's applies.
    public var firstByte: Duration?

    public init(body: Int? = nil, firstByte: Duration? = nil) {
        self.body = body
        self.firstByte = firstByte
    }

    public var isEmpty: Bool { self == ForwardingBounds() }

    /// These bounds, and those of the other where these set none.
    public func over(_ other: ForwardingBounds) -> ForwardingBounds {
        ForwardingBounds(body: body ?? other.body, firstByte: firstByte ?? other.firstByte)
    }
}

extension ProtectedResource {
    /// Bounds of a rule: its own, and those of the resource where it sets none.
    ///
    /// - Parameter rule: index of the rule. Nil for requests without a rule.
    public func bounds(of rule: RuleIndex?) -> ForwardingBounds {
        guard let rule, let own = ruleBounds[rule] else { return bounds }
        return own.over(bounds)
    }
}

import AccessControl
import HTTPMessages
import TokenVerification

extension RequestAuthorizer {
    /// What the answer to a request states about pages of other origins; nil for a resource without a policy.
    ///
    /// - Parameter head: of the request; seldom asked.
    public func crossOriginFields(
        _ verdict: OriginVerdict, of resource: ResourceIndex, for head: @autoclosure () -> RequestHead
    ) -> CrossOriginFields? {
        compiled[resource]?.crossOrigin?.fields(verdict, head)
    }
}

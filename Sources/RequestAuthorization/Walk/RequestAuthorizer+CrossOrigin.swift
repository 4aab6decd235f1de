import AccessControl
import HTTPMessages
import TokenVerification

extension RequestAuthorizer {
    /// Returns the CORS fields of the response to a request. Nil for a resource without a CORS policy.
    ///
    /// - Parameter head: the head of the request; rarely evaluated.
    public func crossOriginFields(
        _ verdict: OriginVerdict, of resource: ResourceIndex, for head: @autoclosure () -> RequestHead
    ) -> CrossOriginFields? {
        compiled[resource]?.crossOrigin?.fields(verdict, head)
    }
}

import AccessControl
import RequestAuthorization
import TokenVerification

/// Protected resource and its location in the file.
public struct ConfiguredResource: Sendable {
    /// Terms by which requests for the resource are judged.
    public internal(set) var terms: ProtectedResource
    public let place: FilePlace
    /// Rules as they are written, in the order of the policies in ``terms``.
    public let rules: IndexedBy<RuleIndex, WrittenRule>

    /// Rule as it is written in the file.
    public struct WrittenRule: Sendable, Hashable {
        /// Key of the rule as it is written.
        public let name: String
        public let place: FilePlace
    }
}

import AccessControl
import RequestAuthorization
import TokenVerification

/// A protected resource, and where the file speaks of it.
public struct ConfiguredResource: Sendable {
    /// The terms by which its requests are judged.
    public internal(set) var terms: ProtectedResource
    public let place: FilePlace
    /// The rules as they are written, in the order of the terms' policies.
    public let rules: IndexedBy<RuleIndex, WrittenRule>

    /// A rule as the file has it.
    public struct WrittenRule: Sendable, Hashable {
        /// Its key as it is written.
        public let name: String
        public let place: FilePlace
    }
}

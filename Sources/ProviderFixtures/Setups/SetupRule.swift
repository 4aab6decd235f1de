/// A rule of the resource; the paths are below its place.
public struct SetupRule: Sendable, Hashable {
    /// `GET`, or several as in the file: `GET,HEAD`.
    public let methods: String
    /// A pattern as in the file: `/orders/**`.
    public let path: String
    public let requirement: SetupRequirement

    init(_ methods: String, _ path: String, _ requirement: SetupRequirement) {
        self.methods = methods
        self.path = path
        self.requirement = requirement
    }
}

/// Requirement of a rule.
public enum SetupRequirement: Sendable, Hashable {
    /// No token.
    case anyone
    /// Any valid token for the resource.
    case authenticated
    /// All of these scopes.
    case scopes([String])
    /// At least one of these roles.
    case roles([String])
    /// All of these scopes, in a token for the organization that the path names in this segment.
    case scopesInOrganization([String], segment: String)
}

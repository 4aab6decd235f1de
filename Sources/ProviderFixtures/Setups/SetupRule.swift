/// A rule of the resource. Its path is relative to the resource's place.
public struct SetupRule: Sendable, Hashable {
    /// The method, or several in the form of the file, such as `GET,HEAD`.
    public let methods: String
    /// Path pattern in the form of the file, such as `/orders/**`.
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
    /// No token is required.
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

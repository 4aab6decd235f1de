import StrictJSON

/// Location and form of roles in a claims set.
public struct RoleClaim: Sendable, Hashable {
    public enum Form: Sendable, Hashable {
        /// The claim is an array of strings, or a single string, which is one role.
        case strings
        /// An object whose members are named after roles. Each role is an object whose members are named after the
        /// organizations that granted it. If a list is given, only grants of these organizations count.
        case memberNames(grantedIn: [String]?)
    }

    public let path: ClaimPath
    public let form: Form

    public init(_ path: ClaimPath, _ form: Form = .strings) {
        self.path = path
        self.form = form
    }

    /// Test for a role of one of these names.
    public func test(naming roles: [ClaimScalar]) -> TokenTest {
        switch form {
        case .strings: .oneOf(path, roles)
        case .memberNames(let organizations): .any(roles.map { .claim(path, .role($0, grantedIn: organizations)) })
        }
    }

    /// The roles in the claim. A claim of another type contains none.
    func roles(in claims: JSONValue) -> [String] {
        path.values(in: claims).flatMap(roles(of:))
    }

    private func roles(of claim: JSONValue) -> [String] {
        switch form {
        case .strings:
            return claim.kind == .array ? claim.elements.compactMap(\.string) : claim.string.map { [$0] } ?? []
        case .memberNames(let organizations):
            guard claim.kind == .object else { return [] }
            let granted = claim.members.filter { role in
                role.value.isGranted(in: organizations)
            }
            return granted.map(\.name)
        }
    }
}

import Testing

@testable import AccessControl

struct ScopeHierarchyTests {
    private static func hierarchy() throws -> ScopeHierarchy {
        try ScopeHierarchy([
            ("orders:admin", ["orders:write"]), ("orders:write", ["orders:read"]),
            ("all", ["orders:read", "orders:write"]),
        ])
    }

    @Test func `a required scope is satisfied by every scope that implies it, directly or transitively`() throws {
        let policy = try Self.hierarchy().applied(to: .requiring([.allScopes(["orders:read"])]))
        #expect(policy == .token([.scope("orders:read", orAnyOf: ["orders:admin", "orders:write", "all"])]))
    }

    @Test func `a challenge names the scopes of the rule, in its order`() throws {
        let hierarchy = try Self.hierarchy()
        let policy = hierarchy.applied(
            to: .requiring([.allScopes(["x", "orders:read", "y"]), .anyScope(["z", "orders:write"])]))
        #expect(policy.challengeScopes() == ["x", "orders:read", "y", "z"])
        #expect(policy.knownScopes == ["x", "orders:read", "y", "z", "orders:write"])
        #expect(policy.parts.contains(.scope("orders:write", orAnyOf: ["orders:admin", "all"])))
    }

    @Test func `requirements without implied scopes stay unchanged`() throws {
        let policy = AccessPolicy.requiring([
            .allScopes(["orders:admin", "x"]), .anyScope(["y"]), .anyRole(["orders:read"]),
        ])
        #expect(try Self.hierarchy().applied(to: policy) == policy)
        #expect(try Self.hierarchy().applied(to: .public) == .public)
    }

    @Test func `scope implications also apply within alternatives and optional tokens`() throws {
        let policy = AccessPolicy.optionalToken([.anyOf([[.anyRole(["r"])], [.allScopes(["orders:write"])]])])
        #expect(
            try Self.hierarchy().applied(to: policy)
                == .optionalToken([
                    .anyOf([[.anyRole(["r"])], [.scope("orders:write", orAnyOf: ["orders:admin", "all"])]])
                ]))
    }

    @Test(
        arguments: [
            ([("a", ["a"])], "a"), ([("a", ["b"]), ("b", ["c"]), ("c", ["a"])], "a"),
            ([("x", ["a"]), ("a", ["b"]), ("b", ["a"])], "a"),
        ] as [([(scope: String, implies: [String])], String)])
    func `a scope that implies itself, directly or transitively, is refused`(
        implied: [(scope: String, implies: [String])], scope: String
    ) {
        #expect(throws: ScopeCycle(scope: scope)) { try ScopeHierarchy(implied) }
    }
}

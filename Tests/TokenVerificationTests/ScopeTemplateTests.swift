import Testing
import TokenVerification

@Suite struct ScopeTemplateTests {
    @Test(arguments: [
        ("api://0d9e4c21/{scope}", "Mcp.Call", "api://0d9e4c21/Mcp.Call"),
        ("https://tenant.onmicrosoft.com/api/{scope}", "orders.read", "https://tenant.onmicrosoft.com/api/orders.read"),
        ("{scope}@orders", "read", "read@orders"), ("a{scope}b", "read", "areadb"), ("{scope}", "read", "read"),
        // Braces are ordinary characters of scopes.
        ("{x}{scope}", "read", "{x}read"), ("{{scope}}", "read", "{read}"),
        // Already in the form that clients request.
        ("api://0d9e4c21/{scope}", "api://0d9e4c21/Mcp.Call", "api://0d9e4c21/Mcp.Call"),
        ("api://0d9e4c21/{scope}", "api://0d9e4c21/", "api://0d9e4c21/api://0d9e4c21/"),
    ])
    func `a scope template expands a scope to its long name`(text: String, scope: String, name: String) throws {
        #expect(try ScopeTemplate(text).name(of: scope) == name)
    }

    @Test(arguments: ["openid", "profile", "email", "address", "phone", "offline_access"])
    func `OpenID Connect's scopes are never expanded`(scope: String) throws {
        #expect(try ScopeTemplate("api://x/{scope}").name(of: scope) == scope)
        #expect(ScopeTemplate.isOfOpenIDConnect(scope))
        #expect(ScopeTemplate.isForResources(scope) == (scope != "offline_access"))
    }

    @Test(arguments: ["openID", "Profile", "orders.profile", "openid.x", ""])
    func `a scope that only resembles OpenID Connect's is a scope of an API`(scope: String) {
        #expect(!ScopeTemplate.isOfOpenIDConnect(scope))
        #expect(ScopeTemplate.isForResources(scope))
    }

    @Test(arguments: [
        ("", ScopeTemplateRejection.forbiddenCharacter), ("api://x", .missingPlaceholder),
        ("{Scope}", .missingPlaceholder),
        ("{scope", .missingPlaceholder), ("{scope}{scope}", .repeatedPlaceholder),
        ("a/{scope}/{scope}", .repeatedPlaceholder),
        ("a {scope}", .forbiddenCharacter), ("\"{scope}", .forbiddenCharacter), ("\\{scope}", .forbiddenCharacter),
        ("ä{scope}", .forbiddenCharacter), ("{scope}\u{7F}", .forbiddenCharacter), ("{scope}\n", .forbiddenCharacter),
    ])
    func `text that is no scope template is refused for its first mistake`(
        text: String, rejection: ScopeTemplateRejection
    ) {
        #expect(throws: rejection) { try ScopeTemplate(text) }
    }

    @Test func `a scope template has at most 256 bytes`() throws {
        let rest = String(repeating: "a", count: ScopeTemplate.longest - ScopeTemplate.placeholder.utf8.count)
        #expect(try ScopeTemplate(rest + ScopeTemplate.placeholder).name(of: "b") == rest + "b")
        #expect(throws: ScopeTemplateRejection.tooLong) { try ScopeTemplate(rest + "a" + ScopeTemplate.placeholder) }
    }

    @Test func `every byte is allowed in a scope template exactly if it is allowed in scopes`() {
        for byte in UInt8.min...0x7F {
            let text = String(decoding: [byte], as: UTF8.self)
            let isScope = (0x21...0x7E).contains(byte) && text != "\"" && text != "\\"
            #expect(((try? ScopeTemplate(text + "{scope}")) != nil) == isScope, "\(byte)")
            #expect((ScopeTemplate(prefix: text) != nil) == isScope, "\(byte)")
        }
    }

    @Test func `a prefix becomes a scope template, and an empty prefix none`() {
        #expect(ScopeTemplate(prefix: "shop/")?.name(of: "orders.write") == "shop/orders.write")
        // Braces in a prefix are literal.
        #expect(ScopeTemplate(prefix: "{scope}/")?.name(of: "x") == "{scope}/x")
        #expect(ScopeTemplate(prefix: "") == nil)
    }

    static let names: [(String, String, String?)] = [
        ("api://x/{scope}", "api://x/read", "read"), ("{scope}@x", "read@x", "read"), ("a{scope}b", "ab", nil),
        ("a{scope}b", "axb", "x"),
        ("api://x/{scope}", "api://y/read", nil), ("api://x/{scope}", "read", nil), ("{scope}", "read", nil),
    ]

    @Test(arguments: names)
    func `a long scope name is converted back to its scope`(text: String, name: String, scope: String?) throws {
        #expect(try ScopeTemplate(text).scope(in: name) == scope)
    }
}

import Testing
import TokenVerification

@Suite struct ScopeTemplateTests {
    @Test(arguments: [
        ("api://0d9e4c21/{scope}", "Mcp.Call", "api://0d9e4c21/Mcp.Call"),
        ("https://tenant.onmicrosoft.com/api/{scope}", "orders.read", "https://tenant.onmicrosoft.com/api/orders.read"),
        ("{scope}@orders", "read", "read@orders"), ("a{scope}b", "read", "areadb"), ("{scope}", "read", "read"),
        // Braces are characters of scopes like others.
        ("{x}{scope}", "read", "{x}read"), ("{{scope}}", "read", "{read}"),
        // Already what clients ask for.
        ("api://0d9e4c21/{scope}", "api://0d9e4c21/Mcp.Call", "api://0d9e4c21/Mcp.Call"),
        ("api://0d9e4c21/{scope}", "api://0d9e4c21/", "api://0d9e4c21/api://0d9e4c21/"),
    ])
    func `a scope has the name that the template makes of it`(text: String, scope: String, name: String) throws {
        #expect(try ScopeTemplate(text).name(of: scope) == name)
    }

    @Test(arguments: ["openid", "profile", "email", "address", "phone", "offline_access"])
    func `OpenID Connect's own scopes have one name`(scope: String) throws {
        #expect(try ScopeTemplate("api://x/{scope}").name(of: scope) == scope)
        #expect(ScopeTemplate.isOfOpenIDConnect(scope))
        #expect(ScopeTemplate.isForResources(scope) == (scope != "offline_access"))
    }

    @Test(arguments: ["openID", "Profile", "orders.profile", "openid.x", ""])
    func `what only looks like them is a scope of an API`(scope: String) {
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
    func `a text that is no template is refused for its first fault`(text: String, rejection: ScopeTemplateRejection) {
        #expect(throws: rejection) { try ScopeTemplate(text) }
    }

    @Test func `a template has 256 bytes at most`() throws {
        let rest = String(repeating: "a", count: ScopeTemplate.longest - ScopeTemplate.placeholder.utf8.count)
        #expect(try ScopeTemplate(rest + ScopeTemplate.placeholder).name(of: "b") == rest + "b")
        #expect(throws: ScopeTemplateRejection.tooLong) { try ScopeTemplate(rest + "a" + ScopeTemplate.placeholder) }
    }

    @Test func `every byte is one that scopes have, or not`() {
        for byte in UInt8.min...0x7F {
            let text = String(decoding: [byte], as: UTF8.self)
            let isScope = (0x21...0x7E).contains(byte) && text != "\"" && text != "\\"
            #expect(((try? ScopeTemplate(text + "{scope}")) != nil) == isScope, "\(byte)")
            #expect((ScopeTemplate(prefix: text) != nil) == isScope, "\(byte)")
        }
    }

    @Test func `a prefix is a template, and none is none`() {
        #expect(ScopeTemplate(prefix: "shop/")?.name(of: "orders.write") == "shop/orders.write")
        // Its braces are its own.
        #expect(ScopeTemplate(prefix: "{scope}/")?.name(of: "x") == "{scope}/x")
        #expect(ScopeTemplate(prefix: "") == nil)
    }

    static let names: [(String, String, String?)] = [
        ("api://x/{scope}", "api://x/read", "read"), ("{scope}@x", "read@x", "read"), ("a{scope}b", "ab", nil),
        ("a{scope}b", "axb", "x"),
        ("api://x/{scope}", "api://y/read", nil), ("api://x/{scope}", "read", nil), ("{scope}", "read", nil),
    ]

    @Test(arguments: names)
    func `a name leads back to its scope`(text: String, name: String, scope: String?) throws {
        #expect(try ScopeTemplate(text).scope(in: name) == scope)
    }
}

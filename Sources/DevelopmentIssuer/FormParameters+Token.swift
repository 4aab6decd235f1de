/// Parameters that both kinds of token request may have.
extension FormParameters {
    /// The scopes of `scope` (RFC 6749 §3.3); nil without the parameter.
    func scopes() throws(TokenEndpointError) -> [String]? {
        guard let text = self["scope"] else { return nil }
        let scopes = text.split(separator: " ").map(String.init)
        guard scopes.allSatisfy(Self.isScopeToken) else { throw .malformedScope }
        return scopes
    }

    /// Whether every character is an NQCHAR (RFC 6749 §3.3).
    private static func isScopeToken(_ scope: String) -> Bool {
        scope.utf8.allSatisfy { byte in
            (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
    }

    /// The seconds of `expires_in`, at most ten years either way; nil without the parameter.
    func lifetime() throws(TokenEndpointError) -> Int? {
        guard let text = self["expires_in"] else { return nil }
        let tenYears = 315_360_000
        guard let seconds = Int(text), (-tenYears...tenYears).contains(seconds) else { throw .lifetimeOutOfRange }
        return seconds
    }
}

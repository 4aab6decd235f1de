/// Parameters that the token requests of the issuer and of sample providers have in common.
extension FormParameters {
    /// Reads the scopes in `scope` (RFC 6749 §3.3). Nil if the parameter is absent.
    func scopes() throws(TokenEndpointError) -> [String]? {
        guard let text = self["scope"] else { return nil }
        let scopes = text.split(separator: " ").map(String.init)
        guard scopes.allSatisfy(Self.isScopeToken) else { throw .malformedScope }
        return scopes
    }

    /// True if every character is an NQCHAR (RFC 6749 §3.3).
    private static func isScopeToken(_ scope: String) -> Bool {
        scope.utf8.allSatisfy { byte in
            (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
    }

    /// Reads `expires_in`: seconds, negative or positive, at most ten years. Nil if the parameter is absent.
    func lifetime() throws(TokenEndpointError) -> Int? {
        guard let text = self["expires_in"] else { return nil }
        let tenYears = 315_360_000
        guard let seconds = Int(text), (-tenYears...tenYears).contains(seconds) else { throw .lifetimeOutOfRange }
        return seconds
    }
}

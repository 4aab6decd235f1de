import JOSE
import Testing

/// Members of a header that name the signer and the client, or repeat a claim.
@Suite struct HeaderStatementTests {
    private static func statement(_ members: String) throws -> HeaderStatement {
        try ProtectedHeader(parsing: #"{"alg":"ES256",\#(members)}"#.utf8.span).statement
    }

    @Test func `signer, client, iss and exp are read`() throws {
        let statement = try Self.statement(#""iss":"https://a","signer":"arn:b","client":"c","exp":1790000720"#)
        #expect(statement[.issuer] == "https://a")
        #expect(statement[.signer] == "arn:b")
        #expect(statement[.client] == "c")
        #expect(statement.expiration == .at(1_790_000_720))
    }

    @Test(arguments: ["1", "null", "[\"arn:b\"]", "{}", "true"])
    func `a member that is not text is none`(value: String) throws {
        let statement = try Self.statement(#""iss":\#(value),"signer":\#(value),"client":\#(value)"#)
        for member in HeaderStatement.Member.allCases { #expect(statement[member] == nil) }
    }

    @Test(arguments: [
        ("\"1790000720\"", HeaderStatement.Expiration.notNumber), ("null", .notNumber), ("1.5", .at(1.5)),
    ])
    func `an expiration that is not a number is not absent`(value: String, expected: HeaderStatement.Expiration) throws
    {
        #expect(try Self.statement(#""exp":\#(value)"#).expiration == expected)
        #expect(try Self.statement(#""x":1"#).expiration == .absent)
    }
}

import Testing

@testable import Administration

/// Query and answer of `/api/refusals`.
struct RefusalListTests {
    private static let lines = [
        #"{"request_id":"c","client":"10.0.0.1","rule":"GET /a","reason":"token_expired","issuer":"idp"}"#,
        #"{"request_id":"b","client":"10.0.0.2","rule":null,"reason":"not_found","issuer":null}"#,
        #"{"request_id":"a","client":"10.0.0.1","rule":"GET /<script>","reason":"token_expired","issuer":"idp"}"#,
    ]
    private static let list = RefusalList(lines: lines.map { Array($0.utf8) }, noted: 70, leftOut: 2)

    private func answer(_ parameters: [(String, String)]) throws -> String {
        String(decoding: Self.list.json(try RefusalQuery(parameters)), as: UTF8.self)
    }

    private func expected(_ lines: [String]) -> String {
        #"{"kept":3,"noted":70,"left_out":2,"refusals":[\#(lines.joined(separator: ","))]}"#
    }

    @Test func `without parameters all lines are there, newest first`() throws {
        #expect(try answer([]) == expected(Self.lines))
        #expect(try answer([("limit", "2")]) == expected(Array(Self.lines.prefix(2))))
    }

    @Test func `a line must have all values that are asked for`() throws {
        #expect(try answer([("request_id", "b")]) == expected([Self.lines[1]]))
        #expect(try answer([("reason", "token_expired")]) == expected([Self.lines[0], Self.lines[2]]))
        #expect(try answer([("reason", "token_expired"), ("limit", "1")]) == expected([Self.lines[0]]))
        #expect(try answer([("client", "10.0.0.1"), ("rule", "GET /<script>")]) == expected([Self.lines[2]]))
        #expect(try answer([("issuer", "idp"), ("request_id", "b")]) == expected([]))
        #expect(try answer([("issuer", "id")]) == expected([]))
        // No line has the member as a string.
        #expect(try answer([("client_id", "")]) == expected([]))
        #expect(try answer([("rule", "null")]) == expected([]))
    }

    @Test(arguments: [
        [("limit", "0")], [("limit", "10001")], [("limit", "x")], [("limit", "")], [("reasons", "x")], [("", "")],
        [("reason", "a"), ("reason", "b")],
    ])
    func `a query with a fault is refused, so that it shows nothing else`(parameters: [(String, String)]) {
        #expect(throws: RefusalQuery.Fault.self) { try RefusalQuery(parameters) }
    }

    @Test func `an answer with hostile names is JSON`() throws {
        let caller = CallerList.Caller(
            issuer: "idp", name: "\u{1B}[2J\"</script>\u{202E}", isCut: true, count: 7, error: 2)
        let none = CallerList.Ranking(callers: [], total: 0, unlisted: 0)
        let list = CallerList(
            clients: none, subjects: CallerList.Ranking(callers: [caller], total: 9, unlisted: 1), addresses: none,
            length: .milliseconds(2_900))
        let empty = #"{"total":0,"unlisted":0,"callers":[]}"#
        let name = #"\u001b[2J\"</script>\u202e"#
        let subjects =
            #"{"total":9,"unlisted":1,"callers":[{"issuer":"idp","name":"\#(name)","cut":true,"count":7,"error":2}]}"#
        #expect(
            String(decoding: list.json, as: UTF8.self)
                == #"{"seconds":2,"clients":\#(empty),"subjects":\#(subjects),"addresses":\#(empty)}"#)
    }
}

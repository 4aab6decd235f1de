import Testing

@testable import Administration

/// Answers to an operator who has keys fetched.
struct KeyRefreshTests {
    private func text(_ refresh: KeyRefresh) -> String { String(decoding: refresh.body, as: UTF8.self) }

    @Test func `a refresh that fetched all key sets answers 200`() {
        let refresh = KeyRefresh(
            issuer: "logto", keySets: [.init(source: "https://a.example/keys", keyCount: 2, failure: nil)])
        #expect(refresh.status == 200)
        #expect(
            text(refresh)
                == #"{"issuer":"logto","refreshed":true,"key_sets":[{"source":"https://a.example/keys","keys":2}]}"#
                + "\n")
    }

    @Test func `a refresh in which one of several key sets failed answers 502 with the reason`() {
        let refresh = KeyRefresh(
            issuer: "logto",
            keySets: [
                .init(source: "a", keyCount: 2, failure: nil),
                .init(source: "b", keyCount: 1, failure: "b answered 500"),
            ])
        #expect(refresh.status == 502)
        #expect(
            text(refresh) == #"{"issuer":"logto","refreshed":false,"key_sets":[{"source":"a","keys":2},"#
                + #"{"source":"b","keys":1,"error":"b answered 500"}]}"# + "\n")
    }
}

import Testing

@testable import Administration

struct PathSegmentTests {
    @Test(
        arguments: [
            ("logto", "logto"), ("my%20issuer", "my issuer"), ("%C3%bc", "ü"), ("a%2Fb", "a/b"), ("%25", "%"),
            ("%2525", "%25"), ("", ""),
            ("%", nil), ("%2", nil), ("%zz", nil), ("%+1", nil), ("%FF", nil),
        ] as [(String, String?)])
    func `escapes of a path segment are decoded once, and invalid escapes are refused`(segment: String, text: String?) {
        #expect(PathSegment.decoded(segment) == text)
    }
}

import AccessControl
import TestSupport
import Testing

/// Overlap of two patterns: a negative answer must be right.
@Suite struct OverlapTests {
    @Test(arguments: [
        ("GET /a", "GET /a", true), ("GET /a", "POST /a", false), ("GET /a", "HEAD /a", true),
        ("POST /a", "HEAD /a", false),
        ("GET /a", "ANY /a", true), ("ANY /a", "ANY /b", false), ("GET /a", "GET /{x}", true),
        ("GET /a/b", "GET /*/c", false),
        ("GET /a/b", "GET /*/b", true), ("GET /a", "GET /a/b", false), ("GET /a/**", "GET /a", true),
        ("GET /a/**", "GET /a/b/c", true), ("GET /a/**", "GET /b/c", false), ("ANY /**", "PUT /x/y", true),
        ("GET /a/", "GET /a", true), ("GET,PUT /a", "POST,PUT /a", true),
        ("GET /a*", "GET /ab", true), ("GET /a*", "GET /a", false), ("GET /a*", "GET /b", false),
        ("GET /{x}:a", "GET /*", true), ("GET /a*", "GET /*b", true), ("GET /a*", "GET /b*", false),
        ("GET /ab*ba", "GET /aba", false), ("GET /ab*ba", "GET /ab*a", true), ("GET /*.a", "GET /*.b", false),
        ("GET /**/a", "GET /a", true), ("GET /**/a", "GET /b", false), ("GET /**/a", "GET /b/c/a", true),
        ("GET /**/a/b", "GET /b", false), ("GET /**/a", "GET /b/**", true), ("GET /**/a", "GET /**/b", false),
        ("GET /a/**/b", "GET /**/a/b", true), ("GET /a/**/b", "GET /b/**", false), ("GET /**/a/b", "GET /**/b", true),
        ("GET /a/**/b", "GET /a", false), ("GET /a/**/b", "GET /a/b", true),
    ])
    func `two rules overlap if one request may match both`(_ one: String, _ other: String, _ overlap: Bool) throws {
        let (one, other) = (try RoutePattern(one), try RoutePattern(other))
        #expect(one.mayOverlap(other) == overlap)
        #expect(other.mayOverlap(one) == overlap)
    }

    @Test(arguments: [
        ("GET /v*", "GET /*.css", true), ("GET /v*", "GET /v1*", false), ("GET /v*", "POST /*.css", false),
        ("ANY /v*", "POST /*.css", true), ("GET /v*/a", "GET /*.css/b", false), ("GET /v*/a", "GET /*.css/**", true),
        ("GET /ab*", "GET /*c", true), ("GET /a*bc", "GET /ab*c", true), ("GET /a*bc", "GET /*c", false),
        ("GET /{x}:a", "GET /*:a", false), ("GET /v*", "GET /*", false), ("GET /v*", "GET /{x}", false),
        ("GET /a/v*", "GET /b/*.css", false), ("GET /*/v*", "GET /{x}/*.css", false),
        ("GET /a*/x*", "GET /a*/*x", true),
        ("GET /**/a/{x}", "GET /**/{y}/b", true), ("GET /**/a/b", "GET /**/b", false),
        ("GET /**/a/b", "GET /**/{y}/b", false),
        ("GET /**/v*", "GET /**/*.css", true), ("GET /**/a/*", "GET /**/*.css", true),
        ("GET /x/**/a/*", "GET /**/*.css", false),
        ("GET /**/a", "GET /a/**", false), ("GET /a/{x}/c", "GET /a/b/{y}", false),
    ])
    func `two rules are ambiguous if they overlap where neither is more specific`(
        _ one: String, _ other: String, _ areAmbiguous: Bool
    ) throws {
        let (one, other) = (try RoutePattern(one), try RoutePattern(other))
        #expect(one.isAmbiguous(beside: other) == areAmbiguous)
        #expect(other.isAmbiguous(beside: one) == areAmbiguous)
    }

    @Test(arguments: [
        ("/a", "/a", true), ("/a", "/b", false), ("/a", "/a/b", true), ("/", "x.example/a", true),
        ("x.example", "y.example", false),
        ("x.example", "*.example", true), ("x.example", "*.other", false), ("example", "*.example", false),
        ("x.example:80", "x.example:81", false), ("x.example:80", "x.example", true), ("x.example/a", "/b", false),
        ("*.example/a", "*.example/a/b", true), ("*.a.example", "*.b.example", false), ("[::1]/a", "[::2]/a", false),
    ])
    func `two places overlap if one request may be at both`(_ one: String, _ other: String, _ overlap: Bool) throws {
        let (one, other) = (try PlacePattern(at: one), try PlacePattern(at: other))
        #expect(one.mayOverlap(other) == overlap)
        #expect(other.mayOverlap(one) == overlap)
    }
}

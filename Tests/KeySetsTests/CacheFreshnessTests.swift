import KeySets
import Testing

@Suite struct CacheFreshnessTests {
    @Test(
        arguments: [
            (["max-age=300"], nil, 300), (["public, max-age=24873, must-revalidate, no-transform"], "5059", 19_814),
            (["public", "Max-Age=60"], nil, 60),
            ([#"max-age="90""#], nil, 90), (["max-age=10"], "11", 0), (["max-age=0"], nil, 0),
            (["max-age=99999999999999999999"], nil, 2_147_483_648),
            (["max-age=60"], "99999999999999999999", 0), (["max-age=60"], "-5", 60), (["max-age=60"], "lies", 60),
        ] as [([String], String?, Int)])
    func `the freshness is max-age minus Age`(cacheControl: [String], age: String?, seconds: Int) {
        #expect(CacheFreshness.lifetime(cacheControl: cacheControl, age: age) == .seconds(seconds))
    }

    @Test(
        arguments: [
            [], [""], ["no-cache"], ["no-store"], ["no-cache, max-age=600"], ["max-age=600, No-Store"], ["max-age"],
            ["max-age="],
            ["max-age=-1"], ["max-age=1.5"],
            ["max-age=\u{661}"], ["s-maxage=600"], ["private"], [#"max-age=""#],
        ] as [[String]])
    func `Cache-Control without a valid max-age gives no freshness`(cacheControl: [String]) {
        #expect(CacheFreshness.lifetime(cacheControl: cacheControl, age: nil) == nil)
    }
}

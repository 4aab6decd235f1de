import JOSE
import TestSupport
import Testing

@testable import TokenVerification

@Suite struct KnownHeadersTests {
    private func token(_ token: TestToken, _ headers: KnownHeaders?) throws -> (UnverifiedToken, [UInt8]) {
        let bytes = Array(token.signed(by: TestKeys.rsa).utf8)
        return (try UnverifiedToken(bytes.span, headers), bytes)
    }

    @Test func `a cached header is recognised, and equals the parsed one`() throws {
        let headers = KnownHeaders()
        let sample = TestToken.good.withHeader("nonce", "1").withHeader("foo", #""bar""#)
        let (first, bytes) = try token(sample, headers)
        #expect(!first.headerWasKnown)
        headers.keep(headerOf: first, bytes.span)
        let (second, _) = try token(sample.with("jti", #""another""#), headers)
        #expect(second.headerWasKnown)
        #expect(second.header == first.header)
        #expect(second.algorithm == first.algorithm)
        #expect(second.claims.tokenID == "another")
        headers.keep(headerOf: second, bytes.span)
        #expect(headers.count == 1)
    }

    @Test func `a header is not recognised before it is cached, nor if one byte differs`() throws {
        let headers = KnownHeaders()
        let (first, bytes) = try token(.good.withHeader("foo", #""bar""#), headers)
        #expect(try !token(.good.withHeader("foo", #""bar""#), headers).0.headerWasKnown)
        headers.keep(headerOf: first, bytes.span)
        #expect(try !token(.good.withHeader("foo", #""baz""#), headers).0.headerWasKnown)
        let encoded = bytes.span.extracting(first.jws.protectedHeader)
        #expect(headers.header(of: encoded) == first.header)
        #expect(headers.header(of: encoded.extracting(0..<encoded.count - 1)) == nil)
        for index in encoded.indices {
            var other = bytes
            other[index] ^= 1
            #expect(headers.header(of: other.span.extracting(first.jws.protectedHeader)) == nil)
        }
    }

    @Test func `the rest of a token with a cached header is judged as usual`() throws {
        let headers = KnownHeaders()
        let (first, bytes) = try token(.good, headers)
        headers.keep(headerOf: first, bytes.span)
        let header = String(decoding: bytes[first.jws.protectedHeader], as: UTF8.self)
        for rest in [".W10.AA", ".e30.A", ".e30", "..AA", ".!!!!.AA", ".e30.AA.AA"] {
            let text = Array((header + rest).utf8)
            let expected = #expect(throws: TokenRejection.self) { _ = try UnverifiedToken(text.span) }
            let found = #expect(throws: TokenRejection.self) { _ = try UnverifiedToken(text.span, headers) }
            #expect(found == expected)
        }
    }

    @Test func `the header cache has a maximum number of entries and a maximum header length`() throws {
        let headers = KnownHeaders()
        for number in 0...KnownHeaders.mostEntries {
            let (token, bytes) = try token(.good.withHeader("number", "\(number)"), headers)
            headers.keep(headerOf: token, bytes.span)
            #expect(headers.count <= KnownHeaders.mostEntries)
        }
        #expect(headers.count == 1)
        let long = TestToken.good.withHeader("long", "\"\(String(repeating: "x", count: KnownHeaders.longestHeader))\"")
        let (token, bytes) = try token(long, headers)
        headers.keep(headerOf: token, bytes.span)
        #expect(headers.count == 1)
    }
}

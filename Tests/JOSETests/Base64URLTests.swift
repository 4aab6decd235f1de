import Foundation
import JOSE
import TestSupport
import Testing

struct Base64URLTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the examples of RFC 4648 are encoded without padding and decoded`(plain: String, text: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == text)
        #expect(Base64URL.decode(text) == Array(plain.utf8))
    }

    @Test func `random bytes of every length are decoded again, and match Foundation's base64`() {
        var generator = SeededGenerator(seed: 3)
        for length in 0...300 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let text = Base64URL.encode(bytes)
            let foreign = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
            #expect(text == foreign)
            #expect(Base64URL.decode(text) == bytes)
        }
    }

    @Test func `every byte outside the base64url alphabet is refused at every index`() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for length in [2, 3, 4, 6, 7, 8] {
            for place in 0..<length {
                for byte in UInt8.min...UInt8.max {
                    var text = [UInt8](repeating: UInt8(ascii: "A"), count: length)
                    text[place] = byte
                    if !alphabet.contains(byte) { #expect(Base64URL.decode(text.span) == nil) }
                }
            }
        }
    }

    @Test(arguments: ["A", "AAAAA", "AAAAAAAAA"])
    func `base64url text of a length of one modulo four is refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: ["Zg==", "Zg=", "Zm8=", "Zm9v=", "====", "Zm9v Zm9v", "Zm9v\n", " Zm9v", "Zm+v", "Zm/v", "Zm%3d"])
    func `padding, white space and the other alphabet are refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `a last character with spare bits set is refused`() {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        #expect(alphabet.filter { last in Base64URL.decode("A\(last)") != nil } == "AQgw")
        #expect(alphabet.filter { last in Base64URL.decode("AA\(last)") != nil } == "AEIMQUYcgkosw048")
        #expect(alphabet.filter { last in Base64URL.decode("AAA\(last)") != nil } == alphabet)
    }

    @Test func `decoded bytes are appended, and refused text appends nothing`() {
        var bytes: [UInt8] = [1, 2, 3]
        #expect(Base64URL.decode("Zm9v".utf8.span, into: &bytes))
        #expect(bytes == [1, 2, 3] + Array("foo".utf8))
        #expect(!Base64URL.decode("Zm9vZm9v!".utf8.span, into: &bytes))
        #expect(!Base64URL.decode("Zm9vZm9v!A".utf8.span, into: &bytes))
        #expect(bytes == [1, 2, 3] + Array("foo".utf8))
    }
}

import Foundation
import JOSE
import StrictJSON
import Testing

/// Keys in PEM, made by OpenSSL and by pyca/cryptography.
struct PEMKeyTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let file: String
        /// Thumbprint of the key (RFC 7638), calculated from its numbers. Empty for a text that is refused.
        let thumbprint: String
        let algorithms: String
        /// Reason for the refusal. Empty for a text that is accepted.
        let message: String

        var testDescription: String { file }

        var bytes: [UInt8] {
            get throws { try PEMKeyTests.bytes(file) }
        }

        static func all(_ list: String) throws -> [Sample] {
            try TestVectors.document("pem-keys/\(list).json").elements.map { sample in
                Sample(
                    file: sample["file"]?.string ?? "", thumbprint: sample["thumbprint"]?.string ?? "",
                    algorithms: sample["algorithms"]?.string ?? "", message: sample["message"]?.string ?? "")
            }
        }
    }

    private static func bytes(_ file: String) throws -> [UInt8] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: tests.appending(path: "Vectors/pem-keys/\(file)")))
    }

    private static func refusal(of text: [UInt8]) -> PEMKeyRejection? {
        do throws(PEMKeyRejection) {
            _ = try VerificationKey(pem: text, keyID: "k")
            return nil
        } catch {
            return error
        }
    }

    @Test func `the samples are every file of their folder`() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(
            atPath: tests.appending(path: "Vectors/pem-keys").path
        ).filter { $0.hasSuffix(".pem") }
        let samples = try Sample.all("accepted") + Sample.all("refused")
        #expect(samples.map(\.file).sorted() == files.sorted())
    }

    @Test(arguments: try Sample.all("accepted"))
    func `a public key or certificate in PEM is read as the key that it is`(_ sample: Sample) throws {
        let key = try VerificationKey(pem: try sample.bytes, keyID: "é")
        #expect(Base64URL.encode(key.thumbprint) == sample.thumbprint)
        #expect(key.algorithms.algorithms.map(\.rawValue).joined(separator: " ") == sample.algorithms)
        #expect(key.keyID.map { Array($0.utf8) } == Array("é".utf8))
    }

    @Test(arguments: try Sample.all("refused"))
    func `a text that is not one usable public key in PEM is refused with what was seen`(_ sample: Sample) throws {
        #expect(Self.refusal(of: try sample.bytes)?.description == sample.message)
    }

    @Test func `a text is refused at every truncation`() throws {
        for file in ["p-256.pem", "certificate-rsa.pem", "rsa-2048-pkcs1.pem"] {
            let text = try Self.bytes(file)
            // The last byte is the line break after the block.
            for count in 0..<(text.count - 1) where Self.refusal(of: Array(text.prefix(count))) == nil {
                Issue.record("\(file) is accepted after \(count) bytes")
            }
            #expect(Self.refusal(of: text.dropLast()) == nil)
        }
    }

    @Test func `a text of 64 KiB is read, and one byte more is refused`() throws {
        let key = try Self.bytes("p-256.pem")
        let limit = 64 * 1024
        let explanation = [UInt8](repeating: UInt8(ascii: "#"), count: limit - key.count - 1) + Array("\n".utf8)
        #expect(Self.refusal(of: explanation + key) == nil)
        #expect(Self.refusal(of: Array("#".utf8) + explanation + key) == .tooLarge)
    }

    @Test func `a signature by the private key of a key in PEM is verified with it`() throws {
        let example = try TestVectors.document("pem-keys/signed.json")
        let key = try VerificationKey(pem: try Self.bytes("signed.pem"), keyID: "k")
        let input = Array((example["input"]?.string ?? "").utf8)
        let signature = try #require(Base64URL.decode(example["signature"]?.string ?? ""))
        #expect(key.verify(signature: signature.span, signingInput: input.span, algorithm: .rs256) == .valid)
        #expect(key.verify(signature: signature.span, signingInput: (input + [0]).span, algorithm: .rs256) == .invalid)
        #expect(key.verify(signature: signature.span, signingInput: input.span, algorithm: .es256) == .invalid)
    }
}

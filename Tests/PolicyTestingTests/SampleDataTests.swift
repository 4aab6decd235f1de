import ConfigurationFile
import Foundation
import ProviderFixtures
import StrictJSON
import Testing

@testable import PolicyTesting

/// The samples that `bearward test` knows are those of ProviderFixtures, which it does not link because that signs.
struct SampleDataTests {
    private static var text: String {
        let samples = ProviderSamples.all.flatMap(\.tokens).map { sample in
            let header = String(decoding: sample.header.serialized(), as: UTF8.self)
            let claims = String(decoding: sample.payload.serialized(), as: UTF8.self)
            return "\"\(sample.id)\": {\"header\": \(header),\n    \"claims\": \(claims)}"
        }
        let lines = samples.joined(separator: ",\n").split(separator: "\n").map { "        \($0)" }.joined(
            separator: "\n")
        return """
            // swift-format-ignore-file
            // Made from ProviderFixtures by `make docs`; a test compares. Change the samples, not this file.

            extension TokenSample {
                /// One JSON object: each token by its name, with its header and its claims.
                static let data = #\"\"\"
                    {
            \(lines)
                    }
                    \"\"\"#
            }

            """
    }

    @Test func `the samples are those of the providers`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/PolicyTesting/Tokens/SampleData.swift").standardized
        if ProcessInfo.processInfo.environment["BEARWARD_WRITE_DOCS"] == "1" {
            try Data(Self.text.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == Self.text, "make docs")
        #expect(TokenSample.names == ProviderSamples.all.flatMap(\.tokens).map(\.id))
    }

    @Test func `a sample is issued when it is used`() throws {
        let sample = try #require(TokenSample.named("logto/access"))
        let claims = sample.claims(issuedAt: 2_000_000_000)
        #expect(claims["iat"] == .integer(2_000_000_000))
        #expect(claims["exp"] == .integer(2_000_003_600))
        #expect(claims["scope"] == .string("read write"))
        #expect(TokenSample.named("logto/other") == nil)
    }
}

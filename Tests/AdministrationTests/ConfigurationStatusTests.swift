import Administration
import Testing
import TokenVerification

@Suite struct ConfigurationStatusTests {
    private static func text(_ status: ConfigurationStatus) -> String { String(decoding: status.json, as: UTF8.self) }

    @Test func `the configuration status reports the running file, and null without a shadow`() {
        let file = ConfigurationStatus.File(
            generation: 3, loadedAt: NumericDate(seconds: 1_790_000_000), lastError: nil)
        #expect(
            Self.text(ConfigurationStatus(inForce: file, shadow: nil))
                == #"{"generation":3,"loaded_at":"2026-09-21T14:13:20Z","last_error":null,"shadow":null}"#)
    }

    @Test func `the shadow configuration has its own generation and error`() {
        let file = ConfigurationStatus.File(generation: 1, loadedAt: NumericDate(seconds: 0), lastError: "bad")
        let shadow = ConfigurationStatus.File(generation: 0, loadedAt: nil, lastError: "next.yaml:1:1: error: \"x\"")
        let expected =
            #"{"generation":1,"loaded_at":"1970-01-01T00:00:00Z","last_error":"bad","#
            + #""shadow":{"generation":0,"loaded_at":null,"last_error":"next.yaml:1:1: error: \"x\""}}"#
        #expect(Self.text(ConfigurationStatus(inForce: file, shadow: shadow)) == expected)
    }
}

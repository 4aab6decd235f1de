import Foundation

/// Whether the gateways that tests start keep verified tokens: yes, unless `BEARWARD_TEST_TOKEN_CACHE=off`.
///
/// `.ci/test --rest` runs tests of tokens without, because no answer may depend on it.
public enum TestedTokenCache {
    public static let isOn = ProcessInfo.processInfo.environment["BEARWARD_TEST_TOKEN_CACHE"] != "off"

    private static let off = "token_cache: 0\n"

    /// A configuration file with the cache as it is to be tested; the line goes to the end, so that no other line
    /// moves. Once is enough.
    public static func configure(_ text: String) -> String {
        isOn || text.hasSuffix(off) ? text : text + off
    }
}

import Foundation

/// Token cache in gateways that tests start: on, unless `BEARWARD_TEST_TOKEN_CACHE=off`.
///
/// `.ci/test --rest` runs tests of tokens without the cache, because no answer may depend on it.
public enum TestedTokenCache {
    public static let isOn = ProcessInfo.processInfo.environment["BEARWARD_TEST_TOKEN_CACHE"] != "off"

    private static let off = "token_cache: 0\n"

    /// A configuration file with the token cache as it is to be tested. The line is appended, so that no other line
    /// moves; calling this once is enough.
    public static func configure(_ text: String) -> String {
        isOn || text.hasSuffix(off) ? text : text + off
    }
}

import Foundation

/// Whether the gateways that tests start keep verified tokens: yes, unless `BEARWARD_TEST_TOKEN_CACHE=off`.
///
/// `make test` runs the tests over sockets both ways, because no answer may depend on it.
public enum TestedTokenCache {
    public static let isOn = ProcessInfo.processInfo.environment["BEARWARD_TEST_TOKEN_CACHE"] != "off"

    /// A configuration file with the cache as it is to be tested; the line goes to the end, so that no other line moves.
    public static func configure(_ text: String) -> String {
        isOn ? text : text + "token_cache: 0\n"
    }
}

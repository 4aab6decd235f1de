import Foundation

/// A token whose header names an unknown key.
enum StrayToken {
    /// The token under another header; payload and signature stay as they are.
    static func made(of token: String, keyID: String = UUID().uuidString) -> String {
        let header = Data(#"{"alg":"ES256","typ":"at+jwt","kid":"\#(keyID)"}"#.utf8).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_").replacingOccurrences(
                of: "=", with: "")
        return ([header[...]] + token.split(separator: ".").dropFirst()).joined(separator: ".")
    }
}

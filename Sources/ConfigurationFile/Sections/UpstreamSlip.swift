import NetworkNames

/// Guesses the URL that is meant by a text which is not the URL of an upstream.
enum UpstreamSlip {
    /// Beginnings of targets in other programs, with their replacements here. The first match counts.
    private static let beginnings = [
        ("http://unix:", socket), ("unix://", socket), ("unix:", socket), ("unix/", socket), ("ws://", "http://"),
        ("wss://", "https://"),
        ("tcp://", "http://"), ("grpc://", "h2c://"), ("grpcs://", "https://"), ("//", "http://"), ("/", socket + "/"),
        (":", "http://127.0.0.1:"), ("", "http://"),
    ]

    private static let socket = "http+unix://"

    /// URL that is meant. Nil if it cannot be guessed.
    static func url(meantBy text: String) -> String? {
        let folded = text.lowercased()
        guard !text.isNegation, let (beginning, scheme) = beginnings.first(where: { folded.hasPrefix($0.0) }) else {
            return nil
        }
        let rest = text.dropFirst(beginning.count)
        guard scheme.hasPrefix(socket) else {
            // An `h2c` URL differs from an `http` one only in the protocol.
            let url = scheme + rest
            return HTTPURL(scheme == "h2c://" ? "http://" + rest : url) == nil ? nil : url
        }
        // nginx writes a colon and the path of requests after the socket's path.
        let path = (scheme.dropFirst(socket.count) + rest).prefix { $0 != ":" }
        return path.hasPrefix("/") && path.utf8.count > 1 && path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            ? socket + path : nil
    }
}

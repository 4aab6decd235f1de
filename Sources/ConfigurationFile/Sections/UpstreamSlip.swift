import NetworkNames

/// What is meant by a text that is no URL of an upstream.
enum UpstreamSlip {
    /// Beginnings of targets as other programs write them, and what they are here. The first that fits counts.
    private static let beginnings = [
        ("http://unix:", socket), ("unix://", socket), ("unix:", socket), ("unix/", socket), ("ws://", "http://"),
        ("wss://", "https://"),
        ("tcp://", "http://"), ("grpc://", "h2c://"), ("grpcs://", "https://"), ("//", "http://"), ("/", socket + "/"),
        (":", "http://127.0.0.1:"), ("", "http://"),
    ]

    private static let socket = "http+unix://"

    /// The URL that is meant. Nil if that is not known.
    static func url(meantBy text: String) -> String? {
        let folded = text.lowercased()
        guard !text.isNegation, let (beginning, scheme) = beginnings.first(where: { folded.hasPrefix($0.0) }) else {
            return nil
        }
        let rest = text.dropFirst(beginning.count)
        guard scheme.hasPrefix(socket) else {
            // In all but the protocol an `h2c` URL is an `http` one.
            let url = scheme + rest
            return HTTPURL(scheme == "h2c://" ? "http://" + rest : url) == nil ? nil : url
        }
        // Behind the socket's path nginx has a colon and the path of requests.
        let path = (scheme.dropFirst(socket.count) + rest).prefix { $0 != ":" }
        return path.hasPrefix("/") && path.utf8.count > 1 && path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            ? socket + path : nil
    }
}

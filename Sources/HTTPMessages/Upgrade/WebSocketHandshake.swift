extension RequestHead {
    /// The key with which the client asks for the WebSocket protocol (RFC 6455 §4.1). Nil if it does not ask, or asks
    /// incorrectly.
    ///
    /// If nil, the request is treated as an ordinary one, and the upstream decides on the response. Not checked: that
    /// the key is Base64.
    public var webSocketKey: String? {
        guard version != .http10, framing == .none, string(method) == "GET", let upgrade = webSocketUpgrade,
            // HTTP/2 has no `Connection`. There the gateway itself added `Upgrade` for `:protocol` (RFC 8441 §4).
            version == .http2 || isNominated(upgrade),
            let version = only(.secWebSocketVersion), section.equals(version.value, ignoringCase: "13"),
            let key = only(.secWebSocketKey), key.value.count == 24
        else { return nil }
        return string(key.value)
    }

    /// True if the single `Upgrade` field names only the WebSocket protocol, even if the handshake is otherwise
    /// incorrect.
    public var upgradesToWebSocket: Bool { webSocketUpgrade != nil }
}

extension ResponseHead {
    /// The value of `Sec-WebSocket-Accept` in a response that switches to the WebSocket protocol (RFC 6455 §4.2.2). Nil
    /// if it does not switch.
    public var webSocketAccept: String? {
        guard status == 101, let upgrade = webSocketUpgrade, isNominated(upgrade) else { return nil }
        return only(.secWebSocketAccept).map { string($0.value) }
    }
}

extension MessageHead {
    /// The single `Upgrade` field, if it names only the WebSocket protocol. Nil otherwise.
    fileprivate var webSocketUpgrade: HeaderField? {
        guard let upgrade = only(.upgrade) else { return nil }
        return section.equals(upgrade.value, ignoringCase: "websocket") ? upgrade : nil
    }
}

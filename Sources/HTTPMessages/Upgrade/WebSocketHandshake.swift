extension RequestHead {
    /// The key with which the client asks for the WebSocket protocol (RFC 6455 §4.1); nil if it does not ask, or not
    /// properly.
    ///
    /// Then the request is an ordinary one, for whose answer the upstream knows best. Not checked: that the key is
    /// Base64.
    public var webSocketKey: String? {
        guard version != .http10, framing == .none, string(method) == "GET", let upgrade = webSocketUpgrade,
            // HTTP/2 has no `Connection`; there `Upgrade` is ours, and stands for `:protocol` (RFC 8441 §4).
            version == .http2 || isNominated(upgrade),
            let version = only(.secWebSocketVersion), section.equals(version.value, ignoringCase: "13"),
            let key = only(.secWebSocketKey), key.value.count == 24
        else { return nil }
        return string(key.value)
    }

    /// Whether the one `Upgrade` field names the WebSocket protocol alone, properly asked for or not.
    public var upgradesToWebSocket: Bool { webSocketUpgrade != nil }
}

extension ResponseHead {
    /// The server's answer to the client's key as it switches to the WebSocket protocol (RFC 6455 §4.2.2); nil if it
    /// does not.
    public var webSocketAccept: String? {
        guard status == 101, let upgrade = webSocketUpgrade, isNominated(upgrade) else { return nil }
        return only(.secWebSocketAccept).map { string($0.value) }
    }
}

extension MessageHead {
    /// The `Upgrade` field that names this protocol alone.
    fileprivate var webSocketUpgrade: HeaderField? {
        guard let upgrade = only(.upgrade) else { return nil }
        return section.equals(upgrade.value, ignoringCase: "websocket") ? upgrade : nil
    }
}

/// The connection preface that a client sends before its first frame (RFC 9113 §3.4).
enum HTTP2Preface {
    static let bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
}

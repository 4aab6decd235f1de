import HTTPMessages
import SwiftProtobuf

/// Check request of Envoy (`ext_authz` over gRPC), decoded from its message.
///
/// `attributes.request.http` states the request. Its headers repeat that as pseudo-header fields, which are ignored.
public struct CheckQuestion: Sendable {
    /// The address of the proxy's client, as text. Empty if the proxy does not state it.
    public let client: String

    let method: String
    let target: String
    let host: String
    let scheme: String
    let fields: Fields

    /// Fields of the request, in either of the forms that the proxy may use.
    enum Fields: Sendable {
        /// Fields of the same name are one entry, with their values joined by commas.
        case joined([String: String])
        case separate([EnvoyHeader])
    }

    /// - Returns: nil if the message is no check request, or states its fields in both forms.
    public init?(_ message: CheckMessage) {
        guard let content = message.content, let check = Self.decoded(content) else { return nil }
        let request = check.attributes.request.http
        guard request.query.isEmpty, request.headers.isEmpty || request.headerMap.headers.isEmpty else { return nil }
        client = check.attributes.source.address.socketAddress.address
        (method, target, host, scheme) = (request.method, request.path, request.host, request.scheme)
        fields = request.headerMap.headers.isEmpty ? .joined(request.headers) : .separate(request.headerMap.headers)
    }

    private static func decoded(_ content: [UInt8]) -> EnvoyCheckRequest? {
        var options = BinaryDecodingOptions()
        // Fields that are not read are not stored either.
        options.discardUnknownFields = true
        return try? EnvoyCheckRequest(serializedBytes: content, options: options)
    }

    /// Writes the request as the client would have sent it. False if a stated value is invalid in a head.
    func write(into writer: inout HeadWriter) -> Bool {
        writer.reset()
        guard ["http", "https"].contains(scheme), !host.isEmpty,
            writer.requestLine(method: method.utf8.span, received: target.utf8.span),
            writer.field("Host", host.utf8.span)
        else { return false }
        switch fields {
        case .joined(let fields):
            for (name, value) in fields where Self.isClients(name) {
                guard writer.field(name.utf8.span, value.utf8.span) else { return false }
            }
        case .separate(let fields):
            for field in fields where Self.isClients(field.key) {
                let value = field.rawValue.isEmpty ? Array(field.value.utf8) : Array(field.rawValue)
                guard writer.field(field.key.utf8.span, value.span) else { return false }
            }
        }
        writer.finish()
        return true
    }

    private static func isClients(_ name: String) -> Bool {
        !name.utf8.starts(with: ":".utf8) && !ofTheProxy.contains { $0.matches(name.utf8.span) }
    }

    /// Fields about the proxy's connection, or about a body that is not judged. `Host` is written separately.
    private static let ofTheProxy = KnownField.allCases.filter {
        $0 == .host || $0.isFraming || $0.isHopByHop && !$0.asksForUpgrade
    }
    .map { FieldName($0) }
}

import FoundationEssentials
import HTTPMessages
import SwiftProtobuf

/// Answer to a check request of Envoy (`ext_authz` over gRPC): a gRPC message with its length prefix.
public struct CheckAnswer: Sendable {
    public let bytes: [UInt8]

    /// Creates the answer that makes the proxy forward the request.
    public init(_ permission: DoorPermission) {
        var fields = FieldWriter()
        fields.identityLines(permission.lines.span)
        var response = EnvoyCheckResponse()
        response.okResponse.headers = Self.edits(fields)
        response.okResponse.headersToRemove = permission.unstatedNames.map {
            String(decoding: $0.spelling, as: UTF8.self)
        }
        bytes = Self.prefixed(response)
    }

    /// Creates the answer that makes the proxy reject the request.
    ///
    /// - Parameters:
    ///   - head: the head of the response to the client.
    ///   - status: the status code of that response.
    public init(_ head: FieldWriter, status: Int, _ content: [UInt8]) {
        var response = EnvoyCheckResponse()
        response.status.code = Self.permissionDenied
        response.deniedResponse.status.code = Int32(truncatingIfNeeded: status)
        // The proxy writes these itself.
        response.deniedResponse.headers = Self.edits(head).filter {
            !["content-length", "date"].contains($0.header.key)
        }
        response.deniedResponse.body = Data(content)
        bytes = Self.prefixed(response)
    }

    /// gRPC status `PERMISSION_DENIED`. Any code other than 0 rejects the request.
    private static let permissionDenied: Int32 = 7
    /// A serialized message that contains only that code.
    private static let bareRefusal: [UInt8] = [0x0A, 2, 8, 7]

    /// An empty message would permit the request, so a response that cannot be serialized becomes a bare rejection.
    private static func prefixed(_ response: EnvoyCheckResponse) -> [UInt8] {
        CheckMessage.prefixed((try? response.serializedBytes()) ?? bareRefusal)
    }

    /// Header edits for the proxy: the first field of a name overwrites existing fields, further fields of that name
    /// are appended.
    private static func edits(_ writer: FieldWriter) -> [EnvoyHeaderEdit] {
        var names: Set<String> = []
        return writer.fields.compactMap { field in
            let name = String(decoding: writer.bytes[field.name], as: UTF8.self)  // in bounds: of the writer itself
            guard !name.hasPrefix(":") else { return nil }
            var edit = EnvoyHeaderEdit()
            edit.header.key = name
            // in bounds: of the writer itself
            edit.header.value = String(decoding: writer.bytes[field.value], as: UTF8.self)
            edit.appendAction = names.insert(name).inserted ? .overwrite : .append
            return edit
        }
    }
}

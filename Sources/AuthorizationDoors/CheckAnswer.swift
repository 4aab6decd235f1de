import FoundationEssentials
import HTTPMessages
import SwiftProtobuf

/// The answer to a question of Envoy's: a message of gRPC, behind its prefix.
public struct CheckAnswer: Sendable {
    public let bytes: [UInt8]

    /// Has the proxy forward the request.
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

    /// Has the proxy answer the client.
    ///
    /// - Parameter head: of the answer.
    public init(_ head: FieldWriter, status: Int, _ content: [UInt8]) {
        var response = EnvoyCheckResponse()
        response.status.code = Self.permissionDenied
        response.deniedResponse.status.code = Int32(truncatingIfNeeded: status)
        // The proxy states these itself.
        response.deniedResponse.headers = Self.edits(head).filter {
            !["content-length", "date"].contains($0.header.key)
        }
        response.deniedResponse.body = Data(content)
        bytes = Self.prefixed(response)
    }

    /// `PERMISSION_DENIED` of gRPC: whatever is not 0 refuses.
    private static let permissionDenied: Int32 = 7
    /// A message with that code alone.
    private static let bareRefusal: [UInt8] = [0x0A, 2, 8, 7]

    /// Without content the answer would permit the request, so what cannot be written refuses it.
    private static func prefixed(_ response: EnvoyCheckResponse) -> [UInt8] {
        CheckMessage.prefixed((try? response.serializedBytes()) ?? bareRefusal)
    }

    /// What the proxy has to write: each name over what is there, and more fields of that name behind it.
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

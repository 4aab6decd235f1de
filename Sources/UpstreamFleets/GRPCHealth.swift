/// The messages of gRPC's health checking protocol (`grpc.health.v1`), each with the prefix of gRPC's framing.
public enum GRPCHealth {
    /// Longest response in bytes. Its one field takes two bytes, and unknown fields may follow.
    public static let longestResponse = 4096

    /// Encodes a `HealthCheckRequest`.
    ///
    /// - Parameter service: name of the gRPC service. Empty for the server as a whole.
    public static func request(for service: String) -> [UInt8] {
        let name = Array(service.utf8)
        let message = name.isEmpty ? [] : [0x0A] + varint(UInt64(name.count)) + name
        return [0] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: message.count >> ($0 * 8)) } + message
    }

    /// Fault that a complete response shows. Nil if the service is healthy.
    ///
    /// - Parameters:
    ///   - content: the body, which must be one message.
    ///   - status: value of `grpc-status`. Nil if there was none.
    public static func fault(in content: [UInt8], status: Int?) -> CheckFault? {
        guard status == 0 else { return .grpc(status) }
        // Uncompressed, and complete.
        guard content.count >= 5, content[0] == 0 else { return .grpc(nil) }
        let length = content[1..<5].reduce(0) { $0 << 8 | Int($1) }
        guard content.count == 5 + length, let serving = servingStatus(content[5...]) else { return .grpc(nil) }
        return serving == 1 ? nil : .notServing
    }

    // MARK: Protocol Buffers

    /// Last value of field 1 of `HealthCheckResponse`, or 0 if there is none. Nil if the message is malformed.
    private static func servingStatus(_ message: ArraySlice<UInt8>) -> UInt64? {
        var (rest, status) = (message, UInt64(0))
        while !rest.isEmpty {
            guard let tag = takeVarint(&rest), tag >> 3 > 0 else { return nil }
            switch tag & 7 {
            case 0:
                guard let value = takeVarint(&rest) else { return nil }
                if tag >> 3 == 1 { status = value }
            case 1: guard drop(8, from: &rest) else { return nil }
            case 2:
                guard let length = takeVarint(&rest), length <= UInt64(longestResponse), drop(Int(length), from: &rest)
                else { return nil }
            case 5: guard drop(4, from: &rest) else { return nil }
            default: return nil
            }
        }
        return status
    }

    private static func drop(_ count: Int, from bytes: inout ArraySlice<UInt8>) -> Bool {
        guard count <= bytes.count else { return false }
        bytes.removeFirst(count)
        return true
    }

    private static func takeVarint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) &<< shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}

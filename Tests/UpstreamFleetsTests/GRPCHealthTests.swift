import Testing
import UpstreamFleets

/// The messages of gRPC's health checking protocol, byte for byte.
struct GRPCHealthTests {
    @Test(arguments: [
        ("", [0, 0, 0, 0, 0]), ("a.B", [0, 0, 0, 0, 5, 0x0A, 3] + Array("a.B".utf8)),
        (String(repeating: "x", count: 200), [0, 0, 0, 0, 203, 0x0A, 0xC8, 1] + [UInt8](repeating: 0x78, count: 200)),
    ])
    func `a gRPC health request names its service`(service: String, expected: [UInt8]) {
        #expect(GRPCHealth.request(for: service) == expected)
    }

    @Test(
        arguments: [
            ([0, 0, 0, 0, 2, 8, 1], 0, nil), ([0, 0, 0, 0, 2, 8, 2], 0, .notServing),
            ([0, 0, 0, 0, 2, 8, 3], 0, .notServing),
            // Status unknown, which is not encoded.
            ([0, 0, 0, 0, 0], 0, .notServing),
            // The last value counts, and unknown fields are skipped.
            ([0, 0, 0, 0, 4, 8, 2, 8, 1], 0, nil), ([0, 0, 0, 0, 4, 8, 1, 8, 2], 0, .notServing),
            ([0, 0, 0, 0, 19, 0x12, 2, 8, 2, 0x1D, 1, 2, 3, 4, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 8], 0, .grpc(nil)),
            ([0, 0, 0, 0, 20, 0x12, 2, 8, 2, 0x1D, 1, 2, 3, 4, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 8, 1], 0, nil),
            ([0, 0, 0, 0, 3, 8, 0x81, 0], 0, nil),
            // No message, or a different one.
            ([], 0, .grpc(nil)), ([0, 0, 0, 0], 0, .grpc(nil)), ([1, 0, 0, 0, 2, 8, 1], 0, .grpc(nil)),
            ([0, 0, 0, 0, 3, 8, 1], 0, .grpc(nil)),
            ([0, 0, 0, 0, 2, 8, 1, 0], 0, .grpc(nil)), ([0, 0, 0, 0, 1, 8], 0, .grpc(nil)),
            ([0, 0, 0, 0, 2, 0, 1], 0, .grpc(nil)),
            ([0, 0, 0, 0, 2, 0x0B, 1], 0, .grpc(nil)), ([0, 0, 0, 0, 3, 0x12, 9, 1], 0, .grpc(nil)),
            ([0, 0, 0, 0, 12, 8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], 0, .grpc(nil)),
            ([0, 0, 0, 0, 11, 0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], 0, .grpc(nil)),
            ([0, 0xFF, 0xFF, 0xFF, 0xFF, 8, 1], 0, .grpc(nil)),
            // Status of the call.
            ([0, 0, 0, 0, 2, 8, 1], 14, .grpc(14)), ([0, 0, 0, 0, 2, 8, 1], nil, .grpc(nil)), ([], 12, .grpc(12)),
        ] as [([UInt8], Int?, CheckFault?)])
    func `only a complete gRPC response with status serving is healthy`(
        content: [UInt8], status: Int?, fault: CheckFault?
    ) {
        #expect(GRPCHealth.fault(in: content, status: status) == fault)
    }
}

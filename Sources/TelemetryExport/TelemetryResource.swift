import FoundationEssentials
import HTTPMessages
import SwiftProtobuf

/// The process as OpenTelemetry describes it: attributes of the resource that all its data is about.
public struct TelemetryResource: Sendable {
    let version: String
    /// Random identifier of this process, so that two gateways, or a gateway and its successor, are told apart.
    let instance: String
    /// Name of the host.
    public let host: String
    /// Start of the process, in nanoseconds since 1970. Counters count from it.
    let startedAt: UInt64

    /// - Parameters:
    ///   - version: version of the program.
    ///   - startedAt: start of the process, in nanoseconds since 1970.
    public init(version: String, startedAt: UInt64) {
        self.version = version
        host = ProcessInfo.processInfo.hostName
        self.startedAt = startedAt
        var random = SystemRandomNumberGenerator()
        var digits: [UInt8] = []
        HexadecimalDigits(random.next(), random.next()).append(to: &digits)
        instance = String(decoding: digits, as: UTF8.self)
    }

    func message(of service: String) -> OTLPResource {
        let texts = [
            ("service.name", service), ("service.version", version), ("service.instance.id", instance),
            ("host.name", host),
        ]
        return .with { $0.attributes = texts.filter { !$0.1.isEmpty }.map { OTLPAttribute($0.0, $0.1) } }
    }

    var scope: OTLPInstrumentationScope {
        .with {
            $0.name = "bearward"
            $0.version = version
        }
    }
}

extension OTLPAttribute {
    init(_ key: String, _ text: String) {
        self.init()
        self.key = key
        value = .with { $0.text = text }
    }
}

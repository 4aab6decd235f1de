import Foundation
import TestSupport
import Testing

/// The same requests through a proxy at a door and directly to the gateway, and each difference (`Interop/doors.py`).
enum DoorMatrix {
    /// Report of the script that drives a matrix.
    struct Report: Decodable {
        let requests: Int
        let letIn: Int
        let refused: Int
        /// Number of requests that the proxy refused itself, without asking.
        let own: Int
        /// Cases that differ as documented.
        let listed: [String]
        /// Requests that passed the proxy although the gateway refuses them.
        let opened: [[Seen]]
        /// Other differences of status, challenge, content or `Retry-After`.
        let differences: [[Seen]]

        enum CodingKeys: String, CodingKey {
            case requests, refused, own, listed, opened, differences
            case letIn = "let_in"
        }

        func summary(of peer: DoorPeer) -> String {
            """
            \(peer): \(requests) requests, \(letIn) let in, \(refused) refused, of these \(own) by itself; \
            listed: \(listed.joined(separator: ", "))
            """
        }
    }

    /// Any JSON value, as text.
    struct Seen: Decodable, CustomStringConvertible {
        let description: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                description = text
            } else if let list = try? container.decode([Seen].self) {
                description = "\(list)"
            } else if let members = try? container.decode([String: Seen].self) {
                description = members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(
                    separator: ", ")
            } else if let number = try? container.decode(Int.self) {
                description = "\(number)"
            } else {
                description = "null"
            }
        }
    }

    struct Cases: Encodable {
        struct Request: Encodable {
            let name: String
            let bytes: String
        }

        var requests: [Request]
        let seed: Int
        let tokens: [String]
        let paths: Int
    }

    /// Runs the matrix and returns its report.
    ///
    /// - Parameter direct: the port at which the gateway itself takes the requests.
    static func report(of cases: Cases, through port: Int, _ peer: DoorPeer, beside direct: Int) async throws -> Report
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = folder.url.appendingPathComponent("cases.json")
        try JSONEncoder().encode(cases).write(to: file)
        let driver = try BearwardProcess(
            program: try #require(Interop.python),
            [Interop.script("doors.py"), "matrix", peer.door, "\(port)", "\(direct)", file.path])
        let status = await driver.exitStatus(within: .seconds(400))
        #expect(status == 0, "\(driver.standardError.suffix(2000))")
        return try JSONDecoder().decode(Report.self, from: Data(driver.standardOutput.utf8))
    }
}

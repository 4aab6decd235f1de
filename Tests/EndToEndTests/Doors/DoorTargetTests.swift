import Foundation
import TestSupport
import Testing

/// Request targets with characters that no URI may contain, through the real proxies: the table of `docs/doors.md`.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Interop.pythonWithHypercorn != nil)) struct DoorTargetTests {
    /// The rows of the table by kind of door, each by its column heads.
    private static func table() throws -> [String: [String: String]] {
        let page = try String(
            contentsOf: Interop.packageDirectory.appendingPathComponent("docs/doors.md"), encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("| kind |") && $0.contains("UTF-8") })
        let rows = lines[start...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let head = try #require(rows.first)
        return Dictionary(
            uniqueKeysWithValues: rows.dropFirst(2).compactMap { row in
                row.first.map {
                    (
                        $0.replacing("`", with: ""),
                        Dictionary(uniqueKeysWithValues: zip(head.dropFirst(), row.dropFirst()))
                    )
                }
            })
    }

    @Test func `the documented table has each kind of door`() throws {
        #expect(Set(try Self.table().keys) == Set(DoorPeer.allCases.map(\.door)))
    }

    @Test(arguments: DoorPeer.installed)
    func `each peer proxy forwards raw characters as documented (T226, T273)`(_ peer: DoorPeer) async throws {
        let lab = try await ProxiedLab.start(peer)
        let report = try await lab.report("targets", as: [String: String].self)
        #expect(try report == Self.table()[peer.door])
        await lab.stop()
    }
}

import Foundation
import TestSupport
import Testing

/// Consecutive reloads of all kinds of files, under load.
@Suite(.serialized) final class ReloadFaultTests {
    enum Spoiling: String, CaseIterable {
        case broken, empty, missing, unreadable, huge, directory, fifo

        /// Replaces a good file by an unusable one.
        func apply(to file: URL) throws {
            try? FileManager.default.removeItem(at: file)
            switch self {
            case .broken: try "listen: [".write(to: file, atomically: true, encoding: .utf8)
            case .empty: try Data().write(to: file)
            case .missing: break
            case .unreadable:
                try "listen: 127.0.0.1:0\n".write(to: file, atomically: true, encoding: .utf8)
                try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
            case .huge:
                _ = FileManager.default.createFile(atPath: file.path, contents: nil)
                try FileHandle(forWritingTo: file).truncate(atOffset: 100 * 1024 * 1024)
            case .directory: try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            case .fifo: _ = unsafe mkfifo(file.path, 0o600)
            }
        }
    }

    /// Number of times that the gateway has logged a message.
    private static func count(_ text: String, in process: BearwardProcess) -> Int {
        process.standardError.split(separator: text, omittingEmptySubsequences: false).count - 1
    }

    @Test func `F30 an unusable file leaves the running configuration in force, and is logged`() async throws {
        let fixture = try await GatewayFixture.start()
        let (good, token) = (try String(contentsOf: fixture.file, encoding: .utf8), try fixture.token())
        for spoiling in Spoiling.allCases {
            // Root can read any file.
            if spoiling == .unreadable, geteuid() == 0 { continue }
            let before = Self.count("Reload refused", in: fixture.gateway)
            try spoiling.apply(to: fixture.file)
            fixture.gateway.signal(SIGHUP)
            #expect(
                await BearwardProcess.wait { Self.count("Reload refused", in: fixture.gateway) == before + 1 },
                "\(spoiling)")
            #expect(try await fixture.get("/api/orders", token: token).status == 200, "\(spoiling)")
            try? FileManager.default.removeItem(at: fixture.file)
        }
        try good.write(to: fixture.file, atomically: true, encoding: .utf8)
        fixture.gateway.signal(SIGHUP)
        #expect(await BearwardProcess.wait { fixture.gateway.count(of: "Reloaded") > 0 })
        await fixture.stop()
    }

    @Test(.slow) func `F31, T422 a thousand reloads under load cost no request, no memory and no descriptor`()
        async throws
    {
        let fixture = try await GatewayFixture.start()
        let (good, token) = (try String(contentsOf: fixture.file, encoding: .utf8), try fixture.token())
        let figures = ProcessFigures(fixture.gateway)
        let isOver = StopSign()
        let statuses = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var statuses: [Int: Int] = [:]
                    while !isOver.isRaised {
                        statuses[try await fixture.get("/api/orders", token: token).status, default: 0] += 1
                    }
                    return statuses
                }
            }
            group.addTask {
                var base = (memory: 0, descriptors: 0)
                for turn in 0..<1000 {
                    // Every other file is broken. The good files differ, so that each starts a new token cache.
                    let text = turn.isMultiple(of: 2) ? good + "limits: {body: \(turn + 1)KiB}\n" : "listen: ["
                    try text.write(to: fixture.file, atomically: true, encoding: .utf8)
                    let before = Self.ended(fixture.gateway)
                    fixture.gateway.signal(SIGHUP)
                    // Every tenth reload starts before the last one has ended.
                    if turn % 10 == 9 { fixture.gateway.signal(SIGHUP) }
                    _ = await BearwardProcess.wait { Self.ended(fixture.gateway) > before }
                    if turn == 200 { base = (figures.residentKiB, figures.descriptors) }
                }
                isOver.raise()
                #expect(
                    figures.residentKiB - base.memory < 8 * 1024,
                    "memory grew from \(base.memory) KiB to \(figures.residentKiB) KiB")
                #expect(
                    abs(figures.descriptors - base.descriptors) <= 8,
                    "\(base.descriptors) descriptors, then \(figures.descriptors)")
                return [:]
            }
            return try await group.reduce(into: [:]) { all, some in all.merge(some, uniquingKeysWith: +) }
        }
        #expect(statuses.keys.elementsEqual([200]), "\(statuses)")
        try good.write(to: fixture.file, atomically: true, encoding: .utf8)
        await fixture.stop()
    }

    /// Number of reloads that have ended, successfully or not.
    private static func ended(_ process: BearwardProcess) -> Int {
        count("Reload refused", in: process) + count("\"Reloaded\"", in: process)
    }
}

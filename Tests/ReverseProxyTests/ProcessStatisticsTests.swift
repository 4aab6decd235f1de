import Foundation
import TestSupport
import Testing

@testable import ReverseProxy

struct ProcessStatisticsTests {
    private let temporary: TemporaryFolder
    private var root: URL { temporary.url }

    init() throws { temporary = try TemporaryFolder() }

    private func write(_ files: [String: String]) throws {
        try FileManager.default.createDirectory(at: root.appending(path: "self/fd"), withIntermediateDirectories: true)
        for (path, text) in files { try text.write(to: root.appending(path: path), atomically: false, encoding: .utf8) }
    }

    private static let files = [
        "self/stat":
            "7 (bear ) ward) S 1 7 7 0 -1 4194560 1 2 3 4 250 50 0 0 20 0 9 0 1200 104857600 512 18446744073709551615 1 1 0\n",
        "self/limits":
            "Limit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 4096                 files\n",
        "self/fd/0": "", "self/fd/1": "", "self/fd/2": "",
    ]

    @Test func `process statistics are read after the process name, which may hold any bytes`() throws {
        try write(Self.files)
        let statistics = try #require(ProcessStatistics(root: root.path))
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        #expect(statistics.cpuSeconds == 300 / ticks)
        #expect(statistics.startTime == ProcessStatistics.bootTime + 1200 / ticks)
        #expect(statistics.virtualBytes == 104_857_600)
        #expect(statistics.residentBytes == 512 * Int(sysconf(Int32(_SC_PAGESIZE))))
        #expect(statistics.openDescriptors == 2)
        #expect(statistics.descriptorLimit == 1024)
    }

    @Test func `without the proc file there are no process statistics`() throws {
        try write(Self.files.filter { $0.key != "self/stat" })
        #expect(ProcessStatistics(root: root.path) == nil)
        #expect(ProcessStatistics(root: "/nowhere/at/all") == nil)
    }

    @Test func `an unlimited number of descriptors is read as no limit`() throws {
        try write(
            Self.files.merging([
                "self/limits": "Max open files            unlimited            unlimited            files\n"
            ]) { $1 })
        #expect(try #require(ProcessStatistics(root: root.path)).descriptorLimit == nil)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat"), "there is no /proc"))
    func `the statistics of the test process are plausible`() throws {
        let statistics = try #require(ProcessStatistics())
        #expect(statistics.residentBytes > 1 << 20 && statistics.virtualBytes > statistics.residentBytes)
        #expect(statistics.openDescriptors >= 3)
        #expect(
            (Date.now.timeIntervalSince1970 - 86_400...Date.now.timeIntervalSince1970 + 5).contains(
                statistics.startTime))
    }
}

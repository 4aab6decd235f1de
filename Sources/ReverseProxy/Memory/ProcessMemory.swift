import CMalloc
import Foundation

/// The system's figures for our memory and its bounds (`cgroups(7)`, `setrlimit(2)`). They are read anew each time: an operator may
/// move them.
enum ProcessMemory {
    /// The largest share that is used of any bound, from 0 to 1; nil without one.
    static func usedShare() -> Double? {
        (controlGroupShares() + [addressSpaceShare()].compactMap { $0 }).max()
    }

    /// Asks the allocator for what it does not need.
    static func giveBack() {
        #if canImport(Glibc)
            _ = malloc_trim(0)
        #endif
    }

    // MARK: Control groups

    /// Of each bounded group that the process is in, of either version; what the group can do without is not counted.
    private static func controlGroupShares() -> [Double] {
        let groups = (text("/proc/self/cgroup") ?? "").split(separator: "\n")
            .map { $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false) }
        return groups.flatMap { group -> [Double] in
            guard group.count == 3 else { return [] }
            return switch group[1] {
            case "": shares("/sys/fs/cgroup", group[2], "memory.max", "memory.current", "inactive_file")
            case "memory":
                shares("/sys/fs/cgroup/memory", group[2], "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            default: []
            }
        }
    }

    /// Of a group and of all above it.
    private static func shares(_ root: String, _ path: Substring, _ limit: String, _ usage: String, _ unused: String) -> [Double] {
        var path = path
        var shares: [Double] = []
        while true {
            let directory = root + path
            // Version 1 writes the largest number of pages where there is no limit.
            if let limit = number("\(directory)/\(limit)"), limit > 0, limit < Int.max / 2, let usage = number("\(directory)/\(usage)") {
                let line = text("\(directory)/memory.stat")?.split(separator: "\n").first { $0.hasPrefix(unused + " ") }
                shares.append(Double(usage - (line.flatMap { Int($0.dropFirst(unused.count + 1)) } ?? 0)) / Double(limit))
            }
            guard path.count > 1, let slash = path.lastIndex(of: "/") else { return shares }
            path = path[..<slash]
        }
    }

    // MARK: Address space

    /// Of what the process holds and could still get: much is mapped but not allocated yet, so the mapped size alone says little.
    private static func addressSpaceShare() -> Double? {
        let line = text("/proc/self/limits")?.split(separator: "\n").first { $0.hasPrefix("Max address space") }
        guard let limit = line?.split(separator: " ").dropFirst(3).first.flatMap({ Int($0) }),
            let pages = text("/proc/self/statm")?.split(separator: " ").first.flatMap({ Int($0) })
        else { return nil }
        let heap = Self.heap()
        let left = max(0, limit - pages * Int(sysconf(Int32(_SC_PAGESIZE))) + heap.free - reserve)
        return Double(heap.allocated) / Double(max(1, heap.allocated + left))
    }

    /// What clients can make the process ask for between two looks, and what is free in pieces that are too small, in bytes.
    private static let reserve = 32 << 20

    /// The allocator's figures; zeros where it has none.
    static func heap() -> HeapTrimmer.Heap {
        #if canImport(Glibc)
            let heap = mallinfo2()
            return .init(allocated: Int(clamping: heap.uordblks) + Int(clamping: heap.hblkhd), free: Int(clamping: heap.fordblks))
        #else
            return .init(allocated: 0, free: 0)
        #endif
    }

    private static func number(_ path: String) -> Int? {
        text(path).flatMap { Int($0.prefix { $0.isNumber }) }
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}

import Testing

@testable import ReverseProxy

/// Warnings about memory limits that are too low.
struct MemoryOutlookTests {
    private func outlook(group: Int? = nil, limit: Int? = nil, mapped: Int = 200, loops: Int = 1) -> MemoryOutlook? {
        MemoryOutlook(
            eventLoops: loops,
            controlGroups: group.map { [MemoryUse(used: 0, bound: $0 << 20), MemoryUse(used: 0, bound: 8 << 30)] }
                ?? [],
            addressSpace: limit.map { MemoryUse(used: mapped << 20, bound: $0 << 20) })
    }

    @Test func `there is no memory warning without a bound or with a high bound`() {
        #expect(outlook() == nil)
        #expect(outlook(group: 192) == nil)
        #expect(outlook(group: 160) == nil)
        #expect(outlook(limit: 2048) == nil)
    }

    @Test func `a control group limit that leaves little memory for clients is a warning`() {
        #expect(
            outlook(group: 159)?.message
                == "memory is bounded to 159 MiB, and a gateway without a client holds about 64")
        #expect(outlook(group: 64)?.hint == "bound it to 160 MiB or more")
    }

    @Test func `an address space limit near the initial mapping, which grows per event loop, is a warning`() {
        #expect(outlook(limit: 912) == nil)
        #expect(
            outlook(limit: 911)?.message == "address space is bounded to 911 MiB, and about 816 are mapped at the start"
        )
        #expect(
            outlook(limit: 983, loops: 2)?.message
                == "address space is bounded to 983 MiB, and about 888 are mapped at the start")
        #expect(outlook(limit: 984, loops: 2) == nil)
        #expect(outlook(limit: 100)?.hint.hasPrefix("bound it to 912 MiB or more") == true)
    }
}

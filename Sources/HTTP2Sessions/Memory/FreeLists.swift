/// Freed memory blocks of the library (nghttp2) by size, and counts of the blocks it holds.
@safe struct FreeLists: ~Copyable {
    /// Number of blocks that the library holds.
    private(set) var liveCount = 0
    /// Total size of the blocks that the library holds, after rounding up.
    private(set) var liveBytes = 0
    /// Number of blocks ever allocated from the system.
    private(set) var systemCount = 0
    /// Bytes in freed blocks that are kept for reuse.
    private(set) var keptBytes = 0

    /// First freed block of each size class; blocks are linked through their first word.
    private var heads = unsafe [7 of UnsafeMutableRawPointer?](repeating: nil)

    /// Number of size classes: powers of two from 32 bytes to 2 KiB. Larger blocks are not kept.
    private static let sizeClasses = 7
    private static let smallest = 32
    /// Size of the header before each block: its size class and its size.
    private static let header = 16
    private static let mostKept = 1 << 20

    deinit {
        for sizeClass in 0..<Self.sizeClasses {
            var next = unsafe heads[sizeClass]
            while let block = unsafe next {
                unsafe next = block.load(as: UnsafeMutableRawPointer?.self)
                unsafe block.deallocate()
            }
        }
    }

    mutating func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        guard size >= 0, size < 1 << 32 else { return nil }
        let sizeClass = Self.sizeClass(size)
        let capacity = sizeClass < Self.sizeClasses ? Self.smallest << sizeClass : size
        // SAFETY: a block is its header and `capacity` bytes; the library gets the address after the header.
        let kept = unsafe takeKept(sizeClass)
        let block = unsafe kept ?? takeFresh(Self.header &+ capacity)
        unsafe block.storeBytes(of: sizeClass, as: Int.self)
        unsafe block.storeBytes(of: capacity, toByteOffset: 8, as: Int.self)
        liveCount &+= 1
        liveBytes &+= capacity
        return unsafe block.advanced(by: Self.header)
    }

    mutating func allocateZeroed(_ count: Int, _ size: Int) -> UnsafeMutableRawPointer? {
        let (total, overflows) = count.multipliedReportingOverflow(by: size)
        guard !overflows, let memory = unsafe allocate(total) else { return nil }
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: total)
        return unsafe memory
    }

    mutating func reallocate(_ memory: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
        guard let memory = unsafe memory else { return unsafe allocate(size) }
        let capacity = unsafe memory.advanced(by: -Self.header).load(fromByteOffset: 8, as: Int.self)
        guard size > capacity else { return unsafe memory }
        guard let larger = unsafe allocate(size) else { return nil }
        unsafe larger.copyMemory(from: memory, byteCount: capacity)
        unsafe free(memory)
        return unsafe larger
    }

    mutating func free(_ memory: UnsafeMutableRawPointer?) {
        guard let memory = unsafe memory else { return }
        liveCount &-= 1
        let block = unsafe memory.advanced(by: -Self.header)
        let sizeClass = unsafe block.load(as: Int.self)
        liveBytes &-= unsafe block.load(fromByteOffset: 8, as: Int.self)
        guard Self.isKept(sizeClass), keptBytes < Self.mostKept else { return unsafe block.deallocate() }
        keptBytes &+= Self.smallest << sizeClass
        unsafe block.storeBytes(of: heads[sizeClass], as: UnsafeMutableRawPointer?.self)
        unsafe heads[sizeClass] = block
    }

    private mutating func takeFresh(_ count: Int) -> UnsafeMutableRawPointer {
        systemCount &+= 1
        return .allocate(byteCount: count, alignment: 16)
    }

    private mutating func takeKept(_ sizeClass: Int) -> UnsafeMutableRawPointer? {
        guard Self.isKept(sizeClass), let block = unsafe heads[sizeClass] else { return nil }
        unsafe heads[sizeClass] = block.load(as: UnsafeMutableRawPointer?.self)
        keptBytes &-= Self.smallest << sizeClass
        return unsafe block
    }

    private static func isKept(_ sizeClass: Int) -> Bool { sizeClass >= 0 && sizeClass < sizeClasses }

    private static func sizeClass(_ size: Int) -> Int {
        var sizeClass = 0
        while sizeClass < sizeClasses, smallest << sizeClass < size { sizeClass &+= 1 }
        return sizeClass
    }
}

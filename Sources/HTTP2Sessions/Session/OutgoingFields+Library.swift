import CNGHTTP2

extension OutgoingFields {
    /// The fields as the library wants them; it copies them before it returns.
    ///
    /// - Parameter hasTable: whether the library would put fields into a table. It knows no other way to send one as a
    ///   literal then than as one that is never indexed.
    func withLibraryFields<Result>(
        hasTable: Bool, _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: entries.count) { table in
                // SAFETY: the entries were made together with the bytes. The library does not write through the names.
                let base = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
                for (index, entry) in entries.enumerated() {
                    let field = unsafe nghttp2_nv(
                        name: base.map { unsafe $0.advanced(by: Int(entry.nameStart)) },
                        value: base.map { unsafe $0.advanced(by: Int(entry.nameEnd)) },
                        namelen: Int(entry.nameEnd &- entry.nameStart), valuelen: Int(entry.valueEnd &- entry.nameEnd),
                        flags: entry.indexing.flags(hasTable: hasTable))
                    unsafe table.initializeElement(at: index, to: field)
                }
                return unsafe body(table)
            }
        }
    }
}

extension FieldIndexing {
    fileprivate func flags(hasTable: Bool) -> UInt8 {
        switch self {
        case .never: UInt8(truncatingIfNeeded: NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
        case .without: hasTable ? UInt8(truncatingIfNeeded: NGHTTP2_NV_FLAG_NO_INDEX.rawValue) : 0
        case .indexed: 0
        }
    }
}

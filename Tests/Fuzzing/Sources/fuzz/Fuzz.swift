import Foundation
import FuzzTargets

/// What libFuzzer calls with each input; `BEARWARD_FUZZ` names the target.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

private let chosen: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["BEARWARD_FUZZ"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("BEARWARD_FUZZ must be one of: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return target
}()

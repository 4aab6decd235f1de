import CLibFuzzer
import Foundation
import FuzzTargets

/// Gives libFuzzer's inputs to the target that `BEARWARD_FUZZ` names.
@main enum Fuzz {
    private static let target: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["BEARWARD_FUZZ"] ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            fatalError("BEARWARD_FUZZ must be one of: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return target
    }()

    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
                Fuzz.target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            })
    }
}

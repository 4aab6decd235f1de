import CLibFuzzer
import Foundation
import FuzzComparisons
import FuzzTargets

/// Gives libFuzzer's inputs to the target that `BEARWARD_FUZZ` names.
@main enum Fuzz {
    private static let run: @Sendable ([UInt8]) -> Void = {
        let name = ProcessInfo.processInfo.environment["BEARWARD_FUZZ"] ?? ""
        if let target = FuzzTarget(rawValue: name) { return { target.run($0) } }
        if let target = FuzzComparison(rawValue: name) { return { target.run($0) } }
        let names = FuzzTarget.allCases.map(\.rawValue) + FuzzComparison.allCases.map(\.rawValue)
        fatalError("BEARWARD_FUZZ must be one of: \(names.joined(separator: ", "))")
    }()

    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
                Fuzz.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            })
    }
}

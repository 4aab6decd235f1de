import ConfigurationFile
import NIOCore
import ReverseProxy

extension Configuration {
    /// Warning that the memory limit of the process is too low for this configuration. Nil if it is not.
    public var memoryProblem: Problem? {
        MemoryOutlook(eventLoops: eventLoops ?? System.coreCount).map { outlook in
            Problem(.warning, at: Position(line: 1, column: 1), message: outlook.message, hint: outlook.hint)
        }
    }
}

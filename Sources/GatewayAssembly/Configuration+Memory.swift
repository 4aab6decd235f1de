import ConfigurationFile
import NIOCore
import ReverseProxy

extension Configuration {
    /// Problem of a memory limit that leaves a gateway with this file too little. Nil if there is none.
    public var memoryProblem: Problem? {
        MemoryOutlook(eventLoops: eventLoops ?? System.coreCount).map { outlook in
            Problem(.warning, at: Position(line: 1, column: 1), message: outlook.message, hint: outlook.hint)
        }
    }
}

import ConfigurationFile
import NIOCore
import ReverseProxy

extension Configuration {
    /// Says that what bounds the memory of this process leaves a gateway with this file too little; nil: it does not.
    public var memoryProblem: Problem? {
        MemoryOutlook(eventLoops: eventLoops ?? System.coreCount).map { outlook in
            Problem(.warning, at: Position(line: 1, column: 1), message: outlook.message, hint: outlook.hint)
        }
    }
}

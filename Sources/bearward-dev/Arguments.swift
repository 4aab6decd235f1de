import ArgumentParser
import DevelopmentIssuer

extension ServerAddress: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(argument)
    }
}

extension DevelopmentAlgorithm: ExpressibleByArgument {}

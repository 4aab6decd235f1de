import ArgumentParser
import DevelopmentIssuer
import ProviderFixtures

extension ServerAddress: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(argument)
    }
}

extension DevelopmentAlgorithm: ExpressibleByArgument {}

extension NamedFault: ExpressibleByArgument {}

extension ProviderName: ExpressibleByArgument {}

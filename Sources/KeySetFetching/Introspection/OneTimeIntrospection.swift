import Logging
import NetworkNames
import TokenIntrospection

/// Asks an issuer about one token once, for commands that run once and exit.
public enum OneTimeIntrospection {
    /// The issuer's answer, and the endpoint that gave it.
    public struct Answer: Sendable {
        public let response: IntrospectionResponse
        public let endpoint: String
    }

    /// Learns the endpoint if the configuration file does not name it, and asks the issuer, exactly as the gateway
    /// does.
    public static func ask(
        _ configuration: IntrospectionConfiguration,
        about token: String,
        proxies: ProxyEnvironment = .ofProcess,
    ) async throws(IntrospectionFailure) -> Answer {
        let logger = Logger(label: "introspection", factory: { _ in SwiftLogNoOpLogHandler() })
        let secretFile = ClientSecretFile(path: configuration.clientSecretFile, logger: logger)
        let client = IntrospectionClient(configuration, secretFile: secretFile, proxies: proxies)
        defer { client.close() }
        let result = await TimeLimit.run(within: configuration.deadline) {
            () -> Result<IntrospectionResponse, IntrospectionFailure> in
            do throws(IntrospectionFailure) {
                return .success(try await client.ask(about: Array(token.utf8)))
            } catch {
                return .failure(error)
            }
        }
        guard let result else {
            throw .exchange(.timedOut(source: configuration.endpoint.description, after: configuration.deadline))
        }
        return Answer(
            response: try result.get(), endpoint: client.knownEndpoint?.text ?? configuration.endpoint.description)
    }
}

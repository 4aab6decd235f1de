import RequestAuthorization

/// The file of `--shadow` as event loops have it.
public final class ShadowPolicy: Sendable {
    public let authorizer: ShadowAuthorizer
    /// Of the configuration that it was compared with; it says nothing of requests that another one judges.
    public let generation: Int

    public init(_ authorizer: ShadowAuthorizer, besideGeneration generation: Int) {
        self.authorizer = authorizer
        self.generation = generation
    }
}

import RequestAuthorization

/// The policy of `--shadow`, as the event loops use it.
public final class ShadowPolicy: Sendable {
    public let authorizer: ShadowAuthorizer
    /// Generation of the configuration it was compared with. It does not apply to requests of another generation.
    public let generation: Int

    public init(_ authorizer: ShadowAuthorizer, besideGeneration generation: Int) {
        self.authorizer = authorizer
        self.generation = generation
    }
}

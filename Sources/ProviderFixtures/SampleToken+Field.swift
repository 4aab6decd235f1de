extension SampleToken {
    /// Name and value of the header field in which the sample's provider sends tokens.
    ///
    /// - Parameter token: the sample, signed or not.
    public func field(with token: String) -> (name: String, value: String) {
        let provider = ProviderSamples.all.first { $0.sample(id: id) != nil }?.name
        return provider?.field(with: token) ?? ("Authorization", "Bearer " + token)
    }
}

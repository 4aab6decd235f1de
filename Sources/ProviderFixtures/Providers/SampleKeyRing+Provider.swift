import JOSESigning

extension SampleKeyRing {
    /// The text of a JWK set (RFC 7517 §5) in the provider's shape; nil if the provider has no key set of that name.
    ///
    /// - Parameter keySet: one of ``ProviderSamples/keySets``, by default the first.
    public func jwkSet(of provider: ProviderName, keySet name: String? = nil) throws(SigningFailure) -> String? {
        let sets = provider.fixture.keySets
        guard let set = sets.first(where: { set in name == nil || set.name == name }) else { return nil }
        return try jwkSet(set.keys)
    }
}

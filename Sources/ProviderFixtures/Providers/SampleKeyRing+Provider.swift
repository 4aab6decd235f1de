import JOSESigning

extension SampleKeyRing {
    /// Text of the provider's JWK set (RFC 7517 §5). Nil if the provider has no key set with this name.
    ///
    /// - Parameter keySet: name of one of ``ProviderSamples/keySets``; the first one by default.
    public func jwkSet(of provider: ProviderName, keySet name: String? = nil) throws(SigningFailure) -> String? {
        let sets = provider.fixture.keySets
        guard let set = sets.first(where: { set in name == nil || set.name == name }) else { return nil }
        return try jwkSet(set.keys)
    }
}

extension TrustedIssuer {
    /// What `aud` may be in its tokens for a resource.
    ///
    /// - Parameter resource: the audiences that name the resource.
    public func audiences(naming resource: [String]) -> [String] {
        switch audience {
        case .resource: resource
        case .fixed(let fixed): fixed
        case .client: resource + (clients ?? [])
        }
    }
}

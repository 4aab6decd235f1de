import IssuerProfiles

/// Every section of the file with its keys: what the reference page and the JSON Schema are made from.
public enum ConfigurationReference {
    /// From the top, as they are shown.
    public static var sections: [SectionReference] {
        [
            FileKey.section, ListenerKey.section, ProxyProtocolKey.section, WideRangeKey.section, DoorKey.section,
            TerminationKey.section,
            CertificateKey.section, AdminKey.section, IssuerKey.section, RefreshKey.section,
            GenericIssuerKey.section, TokenTypeKey.section, IssuerRequirementKey.section, OpaqueKey.section,
            IntrospectionKey.section,
        ] + IssuerProfile.allCases.map(\.section) + [
            ResourceKey.section, TokenHeaderKey.section, RequirementKey.section, ExclusionKey.section,
            PatternKey.section, TextKey.section,
            ScopeKey.section, ModeKey.section, ObserveKey.section,
            FleetKey.section, FleetTargetKey.section, HashKey.section,
            HealthKey.section, EjectionKey.section, RetryKey.section, ConnectionsKey.section,
            UpstreamSecurityKey.section,
            ForwardKey.section, IdentityKey.section, ForwardedClaimKey.section,
            CrossOriginKey.section, WebSocketPolicyKey.section, QuotaKey.section, QuotaClaimKey.section,
            SharedStateKey.section,
            LimitKey.section, TimeoutKey.section, RedactionKey.section, LogKey.section,
        ]
    }

    /// The same of a file of tests.
    public static var testSections: [SectionReference] {
        [PolicyTestsKey.section, PolicyTestKey.section, ExpectationKey.section, WouldKey.section]
    }

    /// The keys that every issuer has, and that are therefore shown once.
    public static var sharedIssuerKeys: [String] { IssuerKey.names }
}

import IssuerProfiles

/// Every section of the file with its keys: what the reference page and the JSON Schema are made from.
public enum ConfigurationReference {
    /// From the top, as they are shown.
    public static var sections: [SectionReference] {
        [
            FileKeys.section, ListenerKeys.section, ProxyProtocolKeys.section, WideRangeKeys.section, DoorKeys.section,
            TerminationKeys.section,
            CertificateKeys.section, AdminKeys.section, IssuerKeys.section, RefreshKeys.section,
            GenericIssuerKeys.section, TokenTypeKeys.section, IssuerRequirementKeys.section, OpaqueKeys.section,
            IntrospectionKeys.section,
        ] + IssuerProfile.allCases.map(\.section) + [
            ResourceKeys.section, TokenHeaderKeys.section, RequirementKeys.section, ExclusionKeys.section,
            PatternKeys.section, TextKeys.section,
            ScopeKeys.section, ModeKeys.section, ObserveKeys.section,
            FleetKeys.section, FleetTargetKeys.section, HashKeys.section,
            HealthKeys.section, EjectionKeys.section, RetryKeys.section, ConnectionsKeys.section,
            UpstreamSecurityKeys.section,
            ForwardKeys.section, IdentityKeys.section, ForwardedClaimKeys.section,
            CrossOriginKeys.section, WebSocketPolicyKeys.section, QuotaKeys.section, QuotaClaimKeys.section,
            SharedStateKeys.section,
            LimitKeys.section, TimeoutKeys.section, RedactionKeys.section, LogKeys.section,
        ]
    }

    /// The same of a file of tests.
    public static var testSections: [SectionReference] {
        [PolicyTestsKeys.section, PolicyTestKeys.section, ExpectationKeys.section, WouldKeys.section]
    }

    /// The keys that every issuer has, and that are therefore shown once.
    public static var sharedIssuerKeys: [String] { IssuerKeys.names }
}

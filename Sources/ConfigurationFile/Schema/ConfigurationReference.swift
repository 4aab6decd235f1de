import IssuerProfiles

/// Every section of the file with its keys: the source of the reference page and of the JSON Schema.
public enum ConfigurationReference {
    /// Sections of the configuration file in the order in which they are shown, the root first.
    public static var sections: [SectionReference] {
        [
            FileKeys.section, ListenerKeys.section, ProxyProtocolKeys.section, WideRangeKeys.section, DoorKeys.section,
            TerminationKeys.section,
            CertificateKeys.section, AdminKeys.section, IssuerKeys.section, PEMKeyKeys.section,
            RealmsKeys.section,
            RefreshKeys.section,
            GenericIssuerKeys.section, TokenTypeKeys.section, WithoutAudienceKeys.section,
            IssuerRequirementKeys.section, OpaqueKeys.section,
            IntrospectionKeys.section,
        ] + IssuerProfile.allCases.map(\.section) + [
            ResourceKeys.section, TokenHeaderKeys.section, RequirementKeys.section, ExclusionKeys.section,
            PatternKeys.section, TextKeys.section,
            ScopeKeys.section, ModeKeys.section, ObserveKeys.section, MaintenanceKeys.section,
            FleetKeys.section, FleetTargetKeys.section, HashKeys.section,
            HealthKeys.section, EjectionKeys.section, RetryKeys.section, ConnectionsKeys.section,
            UpstreamSecurityKeys.section,
            ForwardKeys.section, IdentityKeys.section, ForwardedClaimKeys.section,
            CrossOriginKeys.section, WebSocketPolicyKeys.section, QuotaKeys.section, QuotaClaimKeys.section,
            ResponseKeys.section, SharedStateKeys.section,
            LimitKeys.section, TimeoutKeys.section, ResourceLimitKeys.section, ResourceTimeoutKeys.section,
            AccessLogKeys.section, RedactionKeys.section, LogKeys.section, TelemetryKeys.section, CollectorKeys.section,
            TraceKeys.section, ExportedMetricsKeys.section,
        ]
    }

    /// Sections of a file of policy tests.
    public static var testSections: [SectionReference] {
        [PolicyTestsKeys.section, PolicyTestKeys.section, ExpectationKeys.section, WouldKeys.section]
    }

    /// Names of the keys that every issuer has, and that are therefore shown only once.
    public static var sharedIssuerKeys: [String] { IssuerKeys.names }
}

import AccessControl
import HTTPMessages
import ProxySettings
import RequestAuthorization
import TypedIndices

/// Reads the file from the top.
struct FileReader {
    /// Bytes for verified tokens where the file does not say.
    static let usualTokenCache = 128 * 1024 * 1024

    private let reading: Reading

    init(_ reading: Reading) {
        self.reading = reading
    }

    /// Everything is read, whatever is wrong before it. What comes back is whole only if no error was reported.
    func read(_ root: Value) -> Configuration? {
        guard let section = Section(root, of: FileKey.self) else { return nil }
        version(section[.version])
        var configuration = Configuration(
            listen: ListenersReader.listen(section[.listen]), tokenCache: Self.usualTokenCache)
        (configuration.admin, configuration.adminClients, configuration.adminToken) = ListenersReader.admin(
            section[.admin], beside: configuration.listen)
        configuration.doors = DoorsReader.read(section[.doors], beside: configuration)
        readProcess(section, into: &configuration)
        configuration.trustedProxies = section[.trustedProxies]?.addressRanges().warned(.stateAddresses) ?? []
        configuration.limits = LimitsReader.limits(
            section[.limits], overHTTP2: configuration.listen.contains(where: \.speaksHTTP2))
        configuration.redaction = RedactionReader.read(section[.redact])
        configuration.log = LogReader.read(section[.log])
        configuration.timeouts = LimitsReader.timeouts(section[.timeouts])
        let issuers = IssuersReader.read(section[.issuers], waitingLimit: configuration.limits.waitingForKeys)
        configuration.issuers = IndexedBy(issuers.all.compactMap(\.configured))
        configuration.issuerPlaces = issuers.all.compactMap(\.place)
        if let value = section[.denyFile] {
            // Where an issuer could not be read, an entry that names it would be wrong only because of that.
            (configuration.denyFile, configuration.denyReading) = DenyFileReader.read(
                value, issuers: configuration.denyIssuers, isWhole: configuration.issuers.count == issuers.all.count)
        }
        let quotas = NamedQuotas(section[.quotas])
        configuration.sharedState = SharedStateReader.read(section[.sharedState])
        var resources = ResourcesReader(
            issuers: issuers, policies: NamedPolicies(section[.policies], issuers: issuers.names), quotas: quotas,
            methods: KnownMethods(section[.methods]), longestIdentity: configuration.limits.identity,
            hasDoors: section[.doors] != nil)
        section.required(.resources).map { resources.read($0) }
        configuration.resources = resources.resources
        let offers =
            resources.resources.contains { $0.webSockets?.tokenProtocol != nil }
            ? [FieldName(.secWebSocketProtocol)] : []
        configuration.limits.head.tokenFields = Array(Set(resources.tokenFields.map(\.name) + offers))
        configuration.limits.head.readFields = resources.readFields
        configuration.resourcePlaces = resources.resourcePlaces
        configuration.ruleNames = resources.ruleNames
        configuration.rulePlaces = resources.rulePlaces
        configuration.upstreams = resources.upstreams
        configuration.upstreamPlaces = resources.upstreamPlaces
        // What is probably not meant is worth telling once the file says something that can be taken.
        guard !reading.hasErrors else { return configuration }
        ResourceLints(issuers: issuers, resources: resources.linted).judge()
        resources.openings.warnOfUnshared()
        UnservedPorts.note(resources.places, configuration)
        OwnListeners.warn(configuration, reading)
        quotas.warnOfUnused(resources.usedQuotas)
        DoorsReader.warnOfAnswers(section[.doors], configuration.doors, resources.resources)
        if !configuration.doors.isEmpty {
            quotas.warnOfAddresses(resources.resources)
            LimitsReader.warnOfAddresses(section[.limits], configuration.limits)
        }
        if configuration.sharedState != nil, resources.usedQuotas.isEmpty {
            section[.sharedState]?.warnPlace(
                "no quota is counted, so nothing is shared", hint: "take it out, or write `quotas`")
        }
        return configuration
    }

    private func version(_ value: Value?) {
        guard let value, let text = value.text(expected: "`1`"), text != "1" else { return }
        value.report("version `\(text)` is not known", hint: "write `version: 1`")
    }

    private func readProcess(_ section: Section<FileKey>, into configuration: inout Configuration) {
        configuration.eventLoops = section.integer(.eventLoops).value
        section.read(.accessLog, accessLog).assign(to: &configuration.accessLog)
        section.byteCount(.tokenCache).assign(to: &configuration.tokenCache)
        if let directory = section[.stateDirectory], let path = directory.someText(expected: "a path") {
            guard !path.isNegation else {
                let name = FileKey.stateDirectory.rawValue
                return directory.report(
                    "`\(path)` is no directory",
                    hint: "leave `\(name)` out, or write `./\(path)` for a directory of that name")
            }
            let resolved = reading.resolve(path)
            configuration.stateDirectory = resolved
            StateDirectoryLook.warn(directory, path, at: resolved)
        }
    }

    private func accessLog(_ value: Value) -> AccessLogDestination? {
        guard let text = value.someText(expected: "`stdout`, `none` or a path") else { return nil }
        switch text {
        case "stdout": return .stdout
        case "none": return AccessLogDestination.none
        default:
            guard let slip = PathSlip(text) else { return .file(path: reading.resolve(text)) }
            let name = slip == .word ? text : "access.log"
            value.report("`\(text)` is no file", hint: "write `stdout`, `none`, or a path such as `./\(name)`")
            return nil
        }
    }
}

import AccessControl
import HTTPMessages
import ProxySettings
import RequestAuthorization
import TokenVerification

/// Reads a whole configuration file.
struct FileReader {
    private let reading: Reading

    init(_ reading: Reading) {
        self.reading = reading
    }

    /// Reads everything, even after errors. The result is complete only if no error was reported. Nil if the root is
    /// not a mapping, which is reported.
    func read(_ root: Value) -> Configuration? {
        guard let section = Section(root, of: FileKeys.self) else { return nil }
        var configuration = Configuration()
        _ = section.read(\.version)
        section.assign(to: &configuration)
        (configuration.admin, configuration.adminClients, configuration.adminToken) = ListenersReader.admin(
            section[\.admin], beside: configuration.listen)
        configuration.doors = DoorsReader.read(section[\.doors], beside: configuration)
        configuration.limits = LimitsReader.limits(
            section[\.limits], overHTTP2: configuration.listen.contains(where: \.speaksHTTP2))
        let issuers = IssuersReader.read(section[\.issuers], waitingLimit: configuration.limits.waitingForKeys)
        configuration.issuers = IndexedBy(issuers.all.compactMap(\.configured))
        if let value = section[\.denyFile] {
            // If an issuer could not be read, entries that name it would be reported although they are right.
            (configuration.denyFile, configuration.denyReading) = DenyFileReader.read(
                value, issuers: configuration.denyIssuers, isWhole: configuration.issuers.count == issuers.all.count)
        }
        let quotas = NamedQuotas(section[\.quotas])
        var resources = ResourcesReader(
            issuers: issuers, policies: NamedPolicies(section[\.policies], issuers: issuers.names), quotas: quotas,
            methods: KnownMethods(section[\.methods]), longestIdentity: configuration.limits.identity,
            hasDoors: section[\.doors] != nil,
            bounds: BoundsReader(
                limits: configuration.limits, timeouts: configuration.timeouts, hasDoors: section[\.doors] != nil))
        section.required(\.resources).map { resources.read($0) }
        take(resources, into: &configuration)
        if !reading.hasErrors { warn(section, configuration, resources) }
        return configuration
    }

    private func take(_ read: ResourcesReader, into configuration: inout Configuration) {
        configuration.resources = read.resources.mapped(\.configured)
        configuration.upstreams = read.upstreams
        configuration.targets = read.targets
        let offersTokens = read.resources.contains { $0.terms.webSockets?.tokenProtocol != nil }
        let offers = offersTokens ? [FieldName(.secWebSocketProtocol)] : []
        configuration.limits.head.tokenFields = Array(Set(read.tokenFields.map(\.name) + offers))
        configuration.limits.head.readFields = read.readFields
    }

    /// Warns of content that is probably not meant. Done only for a file without errors.
    private func warn(_ section: Section<FileKeys>, _ configuration: Configuration, _ read: ResourcesReader) {
        let resources = configuration.protectedResources
        ResourceLints(issuers: read.issuers, resources: read.resources).judge()
        read.openings.warnOfUnshared()
        AccessLogReader.warnOfIdentifiers(section[\.accessLog], configuration)
        UnservedPorts.note(read.places.taken, configuration)
        OwnListeners.warn(configuration, reading)
        read.quotas.warnOfUnused(resources)
        DoorsReader.warnOfAnswers(section[\.doors], configuration.doors, resources)
        if !configuration.doors.isEmpty {
            read.quotas.warnOfAddresses(resources)
            LimitsReader.warnOfAddresses(section[\.limits], configuration.limits)
        }
        if configuration.sharedState != nil, NamedQuotas.names(in: resources).isEmpty {
            section[\.sharedState]?.warnPlace(
                "no quota is counted, so nothing is shared", hint: "take it out, or write `quotas`")
        }
    }

    // MARK: Keys of the process

    static func version(_ value: Value) -> String? {
        guard let text = value.text(expected: "`1`") else { return nil }
        guard text == "1" else { return value.refuse("version `\(text)` is not known", hint: "write `version: 1`") }
        return text
    }

    static func stateDirectory(_ value: Value) -> String? {
        guard let path = value.someText(expected: "a path") else { return nil }
        guard !path.isNegation else {
            return value.refuse(
                "`\(path)` is no directory",
                hint: "leave `\(FileKeys().stateDirectory.name)` out, or write `./\(path)` for a directory of that name"
            )
        }
        let resolved = value.reading.resolve(path)
        StateDirectoryLook.warn(value, path, at: resolved)
        return resolved
    }
}

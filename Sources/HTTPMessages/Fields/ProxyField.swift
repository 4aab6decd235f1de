import NetworkNames

/// Match of a field name that not every client may send.
public enum ProxyField: Hashable, Sendable {
    /// The name as its proxy writes it, ignoring case.
    case name
    /// The name with another character for a hyphen or an underscore. A lax reader could take it for the name.
    case lookAlike
    /// A name by which tracing systems pass a trace on, or one that resembles it. Forwarded where the gateway does not
    /// trace.
    case trace
}

extension ProxyField {
    /// Field names in which other proxies report to an upstream who the user is, where the request came from, and what
    /// was requested.
    ///
    /// An upstream that is, or once was, behind one of these proxies believes them. None is forwarded from an untrusted
    /// peer. A trailing `*` covers every name with that prefix. Names that clients have a reason to send are not
    /// listed: `X-Auth-Token`, `X-Auth-User`, `X-Access-Token`, `X-User-Id`, `Impersonate-User` (a request of the
    /// client that its credentials must permit).
    static let names = statements + identities

    /// Names that tell nothing about the user.
    static let statements = addresses + requests + connections

    /// Origin of a request: the client's address, country or path through proxies. Applications log it, use it for rate
    /// limits, and trust addresses of their own network.
    private static let addresses = [
        "X-Forwarded-*", "X-Forwarded", "X-Forward-*", "Forwarded", "Forwarded-*", "Z-Forwarded-For", "X-Real-*",
        "X-Client-IP", "X-Client-Port", "Client-IP", "X-Cluster-Client-IP", "X-Originating-IP", "X-Source-IP",
        "X-ProxyUser-IP",
        // Servlet containers and their plug-ins. The last four are for code that takes CGI variables for field names.
        "Proxy-Client-IP", "WL-Proxy-*", "HTTP_X_*", "HTTP_CLIENT_IP", "HTTP_FORWARDED*", "HTTP_VIA",
        // Content delivery networks: Akamai, Alibaba, Cloudflare, CloudFront, Fastly, Imperva, Sucuri.
        "True-Client-*", "X-Akamai-*", "Ali-CDN-*", "CF-Connecting-*", "CF-Pseudo-IPv4", "CF-IPCountry",
        "CloudFront-*", "Fastly-Client*", "Fastly-FF", "Incap-Client-IP", "X-Sucuri-*",
        // Platforms: App Engine, Azure Front Door, DigitalOcean, Fly, Netlify, Vercel.
        "X-Appengine-*", "X-Azure-*", "DO-Connecting-IP", "Fly-Client-IP", "Fly-Forwarded-*",
        "X-NF-Client-Connection-IP", "X-Vercel-Forwarded-*", "X-Vercel-IP-*", "X-Vercel-Proxied-*",
    ]

    /// The request before a proxy rewrote it, and instructions to the server behind. A sender of these chooses a path
    /// or host that was not validated.
    ///
    /// `X-HTTP-Method-Override` and similar fields are never forwarded: `KnownField.overridesRequestLine`.
    private static let requests = [
        "X-Original-*", "X-Rewrite-*", "X-Host", "X-HTTP-Host-Override", "X-Proxy-*",
        // WSGI servers and their applications.
        "SCRIPT_NAME", "PATH_INFO", "X-Script-Name",
        // Envoy takes retries, time-outs and clusters from these, Azure App Service the original host and path, Rack
        // the file to send.
        "X-Envoy-*", "Disguised-Host", "WAS-Default-Hostname", "X-WAWS-*", "X-Accel-*", "X-Sendfile-Type",
    ]

    /// Security of the client's connection, and its certificate (RFC 9440): a claim about a TLS handshake.
    private static let connections = [
        "X-Scheme", "X-URL-Scheme", "Front-End-Https", "CF-Visitor", "Fastly-SSL", "X-SSL", "X-SSL-*", "X-TLS-*",
        "SSL-*", "SSL_*", "Client-Cert*", "X-Client-Cert*", "X-Client-Verify", "X-Client-DN", "X-Client-CN",
        "X-Client-SAN",
        // IIS, AWS load balancers.
        "X-ARR-*", "MS-ASPNETCORE-*", "X-Amzn-Mtls-*", "X-Amzn-Tls-*",
    ]

    /// The user's identity, groups and permissions, as reported by proxies that sign users in.
    private static let identities = [
        "Remote-*", "X-Remote-*", "X-Auth-Request-*", "X-Authenticated-*", "X-Authentik-*", "X-WebAuth-*",
        "X-Userinfo", "X-Pomerium-*", "X-Vouch-*", "Tailscale-*", "X-JWT-Assertion",
        // Kong; Louketo and its successors.
        "X-Consumer-*", "X-Credential-Identifier", "X-Credential-Username", "X-Anonymous-Consumer", "X-Auth-Audience",
        "X-Auth-Email", "X-Auth-ExpiresIn", "X-Auth-Groups", "X-Auth-Roles", "X-Auth-Subject", "X-Auth-Userid",
        "X-Auth-Username",
        // AWS, Azure App Service, Cloudflare Access, Google's Identity-Aware Proxy and API gateways.
        "X-Amzn-Oidc-*", "X-Amzn-Request-Context", "X-Amzn-Lambda-Context", "X-MS-Client-Principal*", "X-MS-Token-*",
        "CF-Access-Authenticated-*", "CF-Access-Jwt-Assertion", "X-Goog-Authenticated-User-*", "X-Goog-IAP-*",
        "X-Endpoint-API-*", "X-Apigateway-*",
        // Modules of web servers, and older access managers: CAS, iisnode, mod_auth_openidc, Oracle, Shibboleth,
        // SiteMinder, WebSEAL, WebSphere.
        "CAS-User", "X-IISNode-*", "OIDC_*", "OAM_*", "Shib-*", "SM_USER*", "SM_UNIVERSALID", "SM_AUTH*",
        "SM_SERVERSESSION*", "SM_REALM*", "iv-user*", "iv-groups", "iv-creds", "iv-remote-address*", "iv_server_name",
        "$WSA*", "$WSC*", "$WSF*", "$WSI*", "$WSP*", "$WSR*", "$WSS*",
    ]
}

extension FieldName {
    /// True if the name is, or resembles, one in which other proxies report what was requested, from where and how.
    public var isProxyStatement: Bool { ProxyFieldTable.statements.entry(spelling.span) != nil }
}

extension MessageHead {
    /// The match of the field's name in `ProxyField.names` and `TraceField.names`. Nil if clients may send the field.
    @inlinable public func proxyField(_ field: HeaderField) -> ProxyField? { section.proxyField(field) }
}

extension HeaderSection {
    /// The match of the field's name in `ProxyField.names`. Nil if clients may send the field.
    public func proxyField(_ field: HeaderField) -> ProxyField? {
        guard field.name.upperBound <= bytes.count else { return nil }
        let name = bytes.span.extracting(field.name)
        guard name.count > 3 else { return TraceField.isShortName(name) ? .trace : nil }
        return ProxyFieldTable.standard.entry(name)
    }
}

/// Finds a field name in a list like `ProxyField.names` by its first four bytes, then by the rest.
///
/// Names in ordinary requests rarely begin like these, so most lookups inspect one slot only. A class, because every
/// field is looked up in it.
final class ProxyFieldTable: Sendable {
    static let standard = ProxyFieldTable(ProxyField.names, traces: TraceField.names)
    /// Lookup table for the names that tell nothing about the user (`ProxyField.statements`).
    static let statements = ProxyFieldTable(ProxyField.statements)

    private struct Entry: Sendable {
        /// Offset of the name in `letters` and `folded`, without the `*`.
        let start: Int
        let count: Int
        let isPrefix: Bool
        let isTrace: Bool
    }

    /// Length of the key in bytes. No name is shorter.
    private static let keyLength = 4

    /// The names in lower case (`letters`), and with every character except letters and digits as a hyphen too
    /// (`folded`).
    private let letters: [UInt8]
    private let folded: [UInt8]
    /// The entries, grouped by key.
    private let entries: [Entry]
    /// Open-addressed hash table of keys. Zero for an empty slot.
    private let keys: [UInt32]
    /// The range of entries with the key in each slot.
    private let ranges: [Range<Int>]

    /// - Parameters:
    ///   - names: a trailing `*` covers every name with that prefix.
    ///   - traces: names of the same form, by which traces are passed on.
    init(_ names: [String], traces: [String] = []) {
        var (letters, folded, entries): ([UInt8], [UInt8], [Entry]) = ([], [], [])
        var keys = [UInt32](repeating: 0, count: 256)
        var ranges = [Range<Int>](repeating: 0..<0, count: 256)
        let all = names.map { (name: $0, isTrace: false) } + traces.map { (name: $0, isTrace: true) }
        for (key, names) in Dictionary(grouping: all, by: { Self.key(Array($0.name.utf8).span) }) {
            var slot = Self.slot(key)
            while keys[slot] != 0 { slot = (slot &+ 1) & 0xFF }
            keys[slot] = key
            ranges[slot] = entries.count..<entries.count &+ names.count
            for (name, isTrace) in names {
                let isPrefix = name.hasSuffix("*")
                let bytes = Array(name.utf8.dropLast(isPrefix ? 1 : 0))
                entries.append(
                    Entry(start: letters.count, count: bytes.count, isPrefix: isPrefix, isTrace: isTrace))
                letters.append(contentsOf: bytes.map(ASCII.lowercased))
                folded.append(contentsOf: bytes.map(ASCII.folded))
            }
        }
        (self.letters, self.folded, self.entries, self.keys, self.ranges) = (letters, folded, entries, keys, ranges)
    }

    /// The match of a name in this table. Nil if the name is not in it.
    @inline(__always)
    func entry(_ name: Span<UInt8>) -> ProxyField? {
        guard name.count >= Self.keyLength else { return nil }
        let key = Self.key(name)
        var slot = Self.slot(key)
        // The table has empty slots, so this loop ends.
        while keys[slot] != key {
            guard keys[slot] != 0 else { return nil }
            slot = (slot &+ 1) & 0xFF
        }
        return entry(name, among: ranges[slot])
    }

    private func entry(_ name: Span<UInt8>, among range: Range<Int>) -> ProxyField? {
        var found: ProxyField?
        for index in range where covers(entries[index], name) {
            guard !entries[index].isTrace else {
                found = found ?? .trace
                continue
            }
            guard isLookAlike(name, of: entries[index]) else { return .name }
            found = .lookAlike
        }
        return found
    }

    /// True if the name is or resembles the entry. Both must have the same key.
    private func covers(_ entry: Entry, _ name: Span<UInt8>) -> Bool {
        guard entry.isPrefix ? name.count >= entry.count : name.count == entry.count else { return false }
        var index = Self.keyLength
        while index < entry.count {
            guard ASCII.folded(name[index]) == folded[entry.start &+ index] else { return false }
            index &+= 1
        }
        return true
    }

    private func isLookAlike(_ name: Span<UInt8>, of entry: Entry) -> Bool {
        for index in 0..<entry.count where ASCII.lowercased(name[index]) != letters[entry.start &+ index] {
            return true
        }
        return false
    }

    /// The first four bytes, folded. Never zero.
    @inline(__always)
    private static func key(_ name: Span<UInt8>) -> UInt32 {
        // in bounds: the caller checks the length, and a test checks it for the table's names
        let first = UInt32(ASCII.folded(name[0])) &<< 8 | UInt32(ASCII.folded(name[1]))
        return first &<< 16 | UInt32(ASCII.folded(name[2])) &<< 8 | UInt32(ASCII.folded(name[3]))
    }

    @inline(__always)
    private static func slot(_ key: UInt32) -> Int { Int((key &* 0x9E37_79B1) &>> 24) }
}

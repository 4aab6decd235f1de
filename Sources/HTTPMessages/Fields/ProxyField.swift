/// Form of a field name that only a trusted proxy may send.
public enum ProxyField: Hashable, Sendable {
    /// The exact name, with letters in any case.
    case name
    /// With another character for a hyphen or an underscore: a lax reader could take it for the name.
    case lookAlike
}

extension ProxyField {
    /// The names by which other proxies tell an upstream who calls, from where, and what was asked: one closed table.
    ///
    /// An upstream that stands, or once stood, behind one of these proxies believes them. From a peer that is not
    /// trusted none is forwarded. `*` at the end covers every name that begins so. Names that clients themselves have
    /// reason to send are not here: `X-Auth-Token`, `X-Auth-User`, `X-Access-Token`, `X-User-Id`, `Impersonate-User`
    /// (a client's own wish, which its credentials must allow).
    static let names = statements + identities

    /// Fields that state nothing about the user's identity.
    static let statements = addresses + requests + connections

    /// Fields that state a request's origin: a client's address, country or path through proxies. Applications log it,
    /// count by it, and trust addresses of their own network.
    private static let addresses = [
        "X-Forwarded-*", "X-Forwarded", "X-Forward-*", "Forwarded", "Forwarded-*", "Z-Forwarded-For", "X-Real-*",
        "X-Client-IP", "X-Client-Port", "Client-IP", "X-Cluster-Client-IP", "X-Originating-IP", "X-Source-IP",
        "X-ProxyUser-IP",
        // Servlet containers and their plug-ins; the last four as code reads them that takes CGI's variables for
        // field names.
        "Proxy-Client-IP", "WL-Proxy-*", "HTTP_X_*", "HTTP_CLIENT_IP", "HTTP_FORWARDED*", "HTTP_VIA",
        // Networks that deliver content: Akamai, Alibaba, Cloudflare, CloudFront, Fastly, Imperva, Sucuri.
        "True-Client-*", "X-Akamai-*", "Ali-CDN-*", "CF-Connecting-*", "CF-Pseudo-IPv4", "CF-IPCountry",
        "CloudFront-*", "Fastly-Client*", "Fastly-FF", "Incap-Client-IP", "X-Sucuri-*",
        // Platforms: App Engine, Azure Front Door, DigitalOcean, Fly, Netlify, Vercel.
        "X-Appengine-*", "X-Azure-*", "DO-Connecting-IP", "Fly-Client-IP", "Fly-Forwarded-*",
        "X-NF-Client-Connection-IP", "X-Vercel-Forwarded-*", "X-Vercel-IP-*", "X-Vercel-Proxied-*",
    ]

    /// Fields that state the request before a proxy rewrote it, or give orders to the server behind. Who sends them
    /// chooses a path or host that was not judged. (`X-HTTP-Method-Override` and the like are never forwarded:
    /// `KnownField.overridesRequestLine`.)
    private static let requests = [
        "X-Original-*", "X-Rewrite-*", "X-Host", "X-HTTP-Host-Override", "X-Proxy-*",
        // WSGI servers and what runs in them.
        "SCRIPT_NAME", "PATH_INFO", "X-Script-Name",
        // Envoy takes retries, time-outs and clusters from these; Azure App Service the first host and path; Rack
        // which file to send.
        "X-Envoy-*", "Disguised-Host", "WAS-Default-Hostname", "X-WAWS-*", "X-Accel-*", "X-Sendfile-Type",
    ]

    /// Fields that state the security of the client's connection, and its certificate (RFC 9440): claims about a
    /// handshake.
    private static let connections = [
        "X-Scheme", "X-URL-Scheme", "Front-End-Https", "CF-Visitor", "Fastly-SSL", "X-SSL", "X-SSL-*", "X-TLS-*",
        "SSL-*", "SSL_*", "Client-Cert*", "X-Client-Cert*", "X-Client-Verify", "X-Client-DN", "X-Client-CN",
        "X-Client-SAN",
        // IIS, AWS load balancers.
        "X-ARR-*", "MS-ASPNETCORE-*", "X-Amzn-Mtls-*", "X-Amzn-Tls-*",
    ]

    /// Fields that state the user, the user's groups and permissions, as proxies with sign-in send them.
    private static let identities = [
        "Remote-*", "X-Remote-*", "X-Auth-Request-*", "X-Authenticated-*", "X-Authentik-*", "X-WebAuth-*",
        "X-Userinfo", "X-Pomerium-*", "X-Vouch-*", "Tailscale-*", "X-JWT-Assertion",
        // Kong; Louketo and what followed it.
        "X-Consumer-*", "X-Credential-Identifier", "X-Credential-Username", "X-Anonymous-Consumer", "X-Auth-Audience",
        "X-Auth-Email", "X-Auth-ExpiresIn", "X-Auth-Groups", "X-Auth-Roles", "X-Auth-Subject", "X-Auth-Userid",
        "X-Auth-Username",
        // AWS, Azure App Service, Cloudflare Access, Google's Identity-Aware Proxy and API gateways.
        "X-Amzn-Oidc-*", "X-Amzn-Request-Context", "X-Amzn-Lambda-Context", "X-MS-Client-Principal*", "X-MS-Token-*",
        "CF-Access-Authenticated-*", "CF-Access-Jwt-Assertion", "X-Goog-Authenticated-User-*", "X-Goog-IAP-*",
        "X-Endpoint-API-*", "X-Apigateway-*",
        // Web servers' modules and older access managers: CAS, iisnode, mod_auth_openidc, Oracle, Shibboleth,
        // SiteMinder, WebSEAL, WebSphere.
        "CAS-User", "X-IISNode-*", "OIDC_*", "OAM_*", "Shib-*", "SM_USER*", "SM_UNIVERSALID", "SM_AUTH*",
        "SM_SERVERSESSION*", "SM_REALM*", "iv-user*", "iv-groups", "iv-creds", "iv-remote-address*", "iv_server_name",
        "$WSA*", "$WSC*", "$WSF*", "$WSI*", "$WSP*", "$WSR*", "$WSS*",
    ]
}

extension FieldName {
    /// Whether other proxies state by this name, or one that could be taken for it, what was asked, from where and how.
    public var isProxyStatement: Bool { ProxyFieldTable.statements.entry(spelling.span) != nil }
}

extension MessageHead {
    /// Whether only a trusted proxy may state the field, and how its name is written.
    @inlinable public func proxyField(_ field: HeaderField) -> ProxyField? { section.proxyField(field) }
}

extension HeaderSection {
    /// Whether only a trusted proxy may state the field, and how its name is written.
    public func proxyField(_ field: HeaderField) -> ProxyField? {
        guard field.name.upperBound <= bytes.count else { return nil }
        return ProxyFieldTable.standard.entry(bytes.span.extracting(field.name))
    }
}

/// Finds a field name in `ProxyField.names` by its first four bytes, then by the rest.
///
/// Nearly no name of an ordinary request begins like one of them, so that most cost a look into one slot. A reference,
/// because every field is looked up in it.
final class ProxyFieldTable: Sendable {
    static let standard = ProxyFieldTable(ProxyField.names)
    /// Table of the fields that state nothing about the user's identity.
    static let statements = ProxyFieldTable(ProxyField.statements)

    private struct Entry: Sendable {
        /// Offset of the name in `letters` and `folded`, without the `*`.
        let start: Int
        let count: Int
        let isPrefix: Bool
    }

    /// Length of the key in bytes; no name is shorter.
    private static let keyLength = 4

    /// The names in lower case, and the same with every character that is no letter or digit as a hyphen.
    private let letters: [UInt8]
    private let folded: [UInt8]
    /// Entries, with equal keys beside each other.
    private let entries: [Entry]
    /// An open-addressed table; zero for an empty slot.
    private let keys: [UInt32]
    /// By slot: the entries with that key.
    private let ranges: [Range<Int>]

    /// - Parameter names: a `*` at the end of one covers every name that begins so.
    init(_ names: [String]) {
        var (letters, folded, entries): ([UInt8], [UInt8], [Entry]) = ([], [], [])
        var keys = [UInt32](repeating: 0, count: 256)
        var ranges = [Range<Int>](repeating: 0..<0, count: 256)
        for (key, names) in Dictionary(grouping: names, by: { Self.key(Array($0.utf8).span) }) {
            var slot = Self.slot(key)
            while keys[slot] != 0 { slot = (slot &+ 1) & 0xFF }
            keys[slot] = key
            ranges[slot] = entries.count..<entries.count &+ names.count
            for name in names {
                let isPrefix = name.hasSuffix("*")
                let bytes = Array(name.utf8.dropLast(isPrefix ? 1 : 0))
                entries.append(Entry(start: letters.count, count: bytes.count, isPrefix: isPrefix))
                letters.append(contentsOf: bytes.map(ASCII.lowercased))
                folded.append(contentsOf: bytes.map(ASCII.folded))
            }
        }
        (self.letters, self.folded, self.entries, self.keys, self.ranges) = (letters, folded, entries, keys, ranges)
    }

    /// The entry that a name matches. Nil if it matches none.
    @inline(__always)
    func entry(_ name: Span<UInt8>) -> ProxyField? {
        guard name.count >= Self.keyLength else { return nil }
        let key = Self.key(name)
        var slot = Self.slot(key)
        // Not all slots are taken, so that this ends.
        while keys[slot] != key {
            guard keys[slot] != 0 else { return nil }
            slot = (slot &+ 1) & 0xFF
        }
        return entry(name, among: ranges[slot])
    }

    private func entry(_ name: Span<UInt8>, among range: Range<Int>) -> ProxyField? {
        var found: ProxyField?
        for index in range where covers(entries[index], name) {
            guard isLookAlike(name, of: entries[index]) else { return .name }
            found = .lookAlike
        }
        return found
    }

    /// Whether a name whose key is the entry's is it, or could be taken for it.
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

    /// The first bytes, folded; never zero.
    @inline(__always)
    private static func key(_ name: Span<UInt8>) -> UInt32 {
        // in bounds: whoever calls has asked for the length, and a test for that of the table's names
        let first = UInt32(ASCII.folded(name[0])) &<< 8 | UInt32(ASCII.folded(name[1]))
        return first &<< 16 | UInt32(ASCII.folded(name[2])) &<< 8 | UInt32(ASCII.folded(name[3]))
    }

    @inline(__always)
    private static func slot(_ key: UInt32) -> Int { Int((key &* 0x9E37_79B1) &>> 24) }
}

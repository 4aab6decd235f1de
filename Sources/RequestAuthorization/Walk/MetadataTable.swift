import AccessControl
import HTTPMessages
import TokenVerification

/// Where the resources' metadata documents are (RFC 9728 §3).
struct MetadataTable: Sendable {
    private let places: PlaceTable?
    /// By place; nil beside a resource that publishes none.
    private let documents: IndexedBy<PlaceIndex, PublishedDocument?>
    /// Where clients look that know a host alone.
    private let roots: PlaceTable?
    /// By root; nil where several resources could be meant.
    private let soleDocuments: IndexedBy<PlaceIndex, PublishedDocument?>
    private let prefix = Array(("/" + ResourceMetadata.path.joined(separator: "/")).utf8)

    /// Where two resources claim one place, the one whose identifier it is has it, then the first.
    ///
    /// Resources without a document have places here as well, so that no other resource describes itself there.
    init(_ resources: [(places: [PlacePattern], metadata: ResourceMetadata?)]) {
        let documents = resources.map { $0.metadata.map { PublishedDocument(bytes: $0.document) } }
        let named = zip(resources, documents).flatMap { resource, document in
            [resource.metadata?.identifierPlace].compactMap(\.self).map { ($0, document) }
        }
        let situated = zip(resources, documents).flatMap { resource, document in
            resource.places.map { ($0.below(ResourceMetadata.path), document) }
        }
        var taken: Set<PlacePattern> = []
        let claims = (named + situated).filter { taken.insert($0.0).inserted }
        self.documents = IndexedBy(claims.map(\.1))
        places = named.isEmpty ? nil : try? PlaceTable(claims.map(\.0))
        // Those that publish metadata, and their identifiers' hosts too.
        let hosts = HostsOfResources(
            resources.map { resource in
                resource.metadata.map { resource.places + [$0.identifierPlace].compactMap(\.self) } ?? []
            })
        soleDocuments = IndexedBy(hosts.all.map { host in hosts.soleResource(at: host).flatMap { documents[$0] } })
        roots = hosts.all.isEmpty ? nil : try? PlaceTable(hosts.all.map { $0.below(ResourceMetadata.path) })
    }

    func mayHaveDocument(at path: borrowing RequestPath) -> Bool {
        // Most paths are shorter.
        path.canonical.count >= prefix.count && path.canonical.starts(with: prefix)
    }

    /// The document whose place a request's path is exactly, with or without a final slash.
    func document(at request: borrowing AuthorizationRequest) -> PublishedDocument? {
        guard let places, !request.path.hasParameters else { return nil }
        guard let match = places.match(request), match.segments == request.path.segmentCount else { return nil }
        return documents[match.placeIndex] ?? nil
    }

    /// The document of the only resource at a request's host that publishes one, where that of the host itself would be
    /// (RFC 9728 §3.1).
    func soleDocument(at request: borrowing AuthorizationRequest) -> PublishedDocument? {
        guard let roots, !request.path.hasParameters else { return nil }
        guard let match = roots.match(request), match.segments == request.path.segmentCount else { return nil }
        return soleDocuments[match.placeIndex] ?? nil
    }
}

extension AuthorizationRequest {
    /// Whether it asks for content and changes nothing.
    var isRead: Bool {
        let method = head.bytes[head.method]
        return method.elementsEqual("GET".utf8) || method.elementsEqual("HEAD".utf8)
    }
}

extension PlaceTable {
    /// The place of a request, by its host, port and path.
    func match(_ request: borrowing AuthorizationRequest) -> PlaceMatch? {
        match(request, reading: request.path)
    }

    /// The same with another path.
    func match(_ request: borrowing AuthorizationRequest, reading path: RequestPath) -> PlaceMatch? {
        guard let authority = request.head.authority else { return match(host: nil, port: nil, path: path) }
        let host = request.head.bytes.span.extracting(authority.host)
        return match(host: host, port: authority.port, path: path)
    }
}

import AccessControl
import HTTPMessages
import TokenVerification

/// Locations of the resources' metadata documents (RFC 9728 §3).
struct MetadataTable: Sendable {
    private let places: PlaceTable?
    /// Documents by place. Nil for a resource that publishes none.
    private let documents: IndexedBy<PlaceIndex, PublishedDocument?>
    /// Root locations, where clients that know only a host look. Nil if no resource publishes metadata.
    private let roots: PlaceTable?
    /// Documents by root. Nil if several resources of the host could be meant.
    private let soleDocuments: IndexedBy<PlaceIndex, PublishedDocument?>
    private let prefix = Array(("/" + ResourceMetadata.path.joined(separator: "/")).utf8)

    /// Builds the table. If two resources claim a location, it goes to the one whose identifier it is, then to the
    /// first.
    ///
    /// Resources without a document occupy their locations too, so that no other resource describes itself there.
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
        // Resources that publish metadata, with their identifiers' hosts too.
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

    /// Returns the document whose location is exactly the request's path, with or without a final slash. Nil if there
    /// is none.
    func document(at request: borrowing AuthorizationRequest) -> PublishedDocument? {
        guard let places, !request.path.hasParameters else { return nil }
        guard let match = places.match(request), match.segments == request.path.segmentCount else { return nil }
        return documents[match.placeIndex] ?? nil
    }

    /// Returns the document of the only resource at the request's host that publishes one. The path must be that of the
    /// host's own document (RFC 9728 §3.1). Nil for any other path, and if no resource or several could be meant.
    func soleDocument(at request: borrowing AuthorizationRequest) -> PublishedDocument? {
        guard let roots, !request.path.hasParameters else { return nil }
        guard let match = roots.match(request), match.segments == request.path.segmentCount else { return nil }
        return soleDocuments[match.placeIndex] ?? nil
    }
}

extension AuthorizationRequest {
    /// True for GET and HEAD: the request reads content and changes nothing.
    var isRead: Bool {
        let method = head.bytes[head.method]
        return method.elementsEqual("GET".utf8) || method.elementsEqual("HEAD".utf8)
    }
}

extension PlaceTable {
    /// Finds the place of a request by its host, port and path. Nil if no place matches.
    func match(_ request: borrowing AuthorizationRequest) -> PlaceMatch? {
        match(request, reading: request.path)
    }

    /// Finds the place for a request's host and port with another path than its own. Nil if no place matches.
    func match(_ request: borrowing AuthorizationRequest, reading path: RequestPath) -> PlaceMatch? {
        guard let authority = request.head.authority else { return match(host: nil, port: nil, path: path) }
        let host = request.head.bytes.span.extracting(authority.host)
        return match(host: host, port: authority.port, path: path)
    }
}

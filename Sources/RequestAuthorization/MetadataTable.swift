import AccessControl
import HTTPMessages
import TypedIndices

/// A document of the gateway's own, to be sent as it is.
public struct PublishedDocument: Sendable, Hashable {
    /// JSON.
    public let bytes: [UInt8]
}

/// Where the resources' metadata documents are (RFC 9728 §3).
struct MetadataTable: Sendable {
    private let places: PlaceTable?
    /// By place; nil beside a resource that publishes none.
    private let documents: IndexedBy<PlaceIndex, PublishedDocument?>
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
    }

    func mayHaveDocument(at path: borrowing RequestPath) -> Bool {
        // Most paths are shorter.
        path.canonical.count >= prefix.count && path.canonical.starts(with: prefix)
    }

    /// The document that a request asks for; its path is exactly one of the places, and its method reads.
    func document(for request: borrowing AuthorizationRequest) -> PublishedDocument? {
        guard mayHaveDocument(at: request.path), request.isRead else { return nil }
        guard let places, !request.path.hasParameters else { return nil }
        guard let match = places.match(request), match.segments == request.path.segmentCount else { return nil }
        return documents[match.placeIndex] ?? nil
    }
}

extension AuthorizationRequest {
    fileprivate var isRead: Bool {
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

import TestSupport
import Testing
import TokenVerification

@testable import AccessControl

/// The threat cases for paths, with a public place beside two stricter ones.
struct PathConfusionTests {
    enum Outcome: Hashable, Sendable {
        case place(String)
        case noPlace
        case refused(PathRejection)
    }

    private static let places = ["/orders", "/orders/admin", "/public"]

    private static func outcome(_ text: String, in places: [String] = places) throws -> Outcome {
        let table = try PlaceTable(places.map { try PlacePattern(at: $0) })
        do throws(PathRejection) {
            let path = try RequestPath(text)
            guard let match = table.match(host: nil, port: nil, path: path) else { return .noPlace }
            return .place(places[match.placeIndex.rawValue])
        } catch {
            return .refused(error)
        }
    }

    @Test(
        arguments: [
            // T261
            ("/orders", .place("/orders")), ("/orders/", .place("/orders")), ("/orders/7", .place("/orders")),
            ("/ordersX", .noPlace),
            // T262
            ("//orders", .refused(.emptySegment)), ("/orders//admin", .refused(.emptySegment)),
            ("/./orders", .refused(.dotSegment)),
            // T263
            ("/public/../orders", .refused(.dotSegment)), ("/orders/x/../admin", .refused(.dotSegment)),
            // T264
            ("/public/%2e%2e/orders", .refused(.dotSegment)), ("/public/%252e%252e/orders", .refused(.doubleEncoding)),
            // T265
            ("/public/..;/orders", .refused(.dotSegment)), ("/orders;a=b", .place("/orders")),
            ("/orders;/admin", .place("/orders/admin")),
            // T266
            ("/orders%2fadmin", .refused(.encodedSlash)), ("/orders%5cadmin", .refused(.encodedBackslash)),
            ("/orders\\admin", .refused(.backslash)),
            // T267
            ("/%6frders", .place("/orders")), ("/orders/%61dmin", .place("/orders/admin")),
            ("/orders/%61dmin/x", .place("/orders/admin")),
            // T268
            ("/Orders", .noPlace), ("/ORDERS/ADMIN", .noPlace), ("/orders/Admin", .place("/orders")),
            // T269
            ("/orders.", .noPlace), ("/orders%20", .noPlace), ("/orders.json", .noPlace),
            ("/orders%00", .refused(.controlByte)),
            ("/orders/.", .refused(.dotSegment)),
            // T270: the query has already been cut off; the path with the query inside is refused.
            ("/orders?x=/../admin", .refused(.forbiddenCharacter)),
            // T271
            ("/orders#/public", .refused(.forbiddenCharacter)), ("/public#/orders", .refused(.forbiddenCharacter)),
            // T273
            ("/orders/\u{E9}", .place("/orders")), ("/\u{FF4F}rders", .noPlace),
            ("/orders/%C3%A9", .place("/orders")), ("/%c1%af%72ders", .refused(.notUTF8)),
            // T274
            ("/public%ef%bc%8forders", .noPlace), ("/public%e2%88%95orders", .noPlace),
            ("/public\u{FF0F}orders", .noPlace),
            ("/orders%ef%bc%8fadmin", .noPlace),
        ] as [(String, Outcome)]
    )
    func `a confusing path is refused, or stays within the place that it names`(path: String, outcome: Outcome) throws {
        #expect(try Self.outcome(path) == outcome)
    }

    /// Spellings of a dot and a slash, and of bytes that a lax server may take for them.
    private static let dots = [
        ".", "%2e", "%2E", "%252e", "%25%32%65", "%c0%ae", "%e0%80%ae", "%uff0e", "%ef%bc%8e", "\u{FF0E}", ".%00",
        ".%0d", ".;x=1",
    ]
    private static let slashes = [
        "/", "//", "/./", "\\", "%2f", "%2F", "%5c", "%252f", "%255c", "%c0%af", "%c1%9c", "%ef%bc%8f", "%e2%88%95",
        "/;/", ";/", "%00/",
        "\t/",
    ]

    @Test func `T278, T279 no spelling of dot segments leads out of a public place into another place`() throws {
        let table = try PlaceTable(Self.places.map { try PlacePattern(at: $0) })
        var (refused, open) = (0, 0)
        for first in Self.dots {
            for second in Self.dots {
                for slash in Self.slashes {
                    for depth in 1...4 {
                        for end in ["orders", "orders/admin", "%6frders"] {
                            let up = String(repeating: first + second + slash, count: depth)
                            guard let path = try? RequestPath("/public/" + up + end) else {
                                refused += 1
                                continue
                            }
                            open += 1
                            #expect(table.match(host: nil, port: nil, path: path)?.placeIndex == 2, "\(path.text)")
                            #expect(
                                NaiveReader.resolvedSegments(NaiveDecoding.decode(path.canonical)).first == "public",
                                "\(path.text)")
                        }
                    }
                }
            }
        }
        #expect(refused + open == 34_476)
        #expect(open > 100 && refused > 20_000)
    }

    @Test func `the longest place matches, in whatever order the file names the places`() throws {
        // T276
        for places in [Self.places, Self.places.reversed(), ["/orders/admin", "/public", "/orders"]] {
            #expect(try Self.outcome("/orders/admin/x", in: places) == .place("/orders/admin"))
            #expect(try Self.outcome("/orders/adminX", in: places) == .place("/orders"))
        }
    }

    @Test func `path parameters are reported, for places that refuse them`() throws {
        // T265
        for text in ["/orders;a=b", "/orders;/admin", "/public;x=/orders", "/public/a%3Bb"] {
            #expect(try RequestPath(text).hasParameters)
        }
    }
}

import TestSupport
import Testing

@testable import AccessControl

struct RequestPathTests {
    @Test(
        arguments: [
            ("", "/"), ("/", "/"), ("/orders", "/orders"), ("/orders/", "/orders/"), ("/%6frders", "/orders"),
            ("/orders/%61dmin", "/orders/admin"),
            ("/%41%5A%7a%30%39%2d%2E%5f%7Ex", "/AZz09-._~x"), ("/caf%c3%a9", "/caf%C3%A9"),
            ("/%e2%88%95", "/%E2%88%95"),
            ("/users/%40me", "/users/%40me"), ("/users/@me", "/users/@me"), ("/a%20b", "/a%20b"), ("/a%3ab", "/a%3Ab"),
            ("/a%25", "/a%25"),
            ("/a%25zz", "/a%25zz"), ("/a%2", nil), ("/...", "/..."), ("/.a", "/.a"), ("/a.", "/a."), ("/..a/", "/..a/"),
            ("/!$&'()*+,-.:=@_~", "/!$&'()*+,-.:=@_~"), ("/a;b=c", "/a;b=c"), ("/a%3bb", "/a%3Bb"),
            // Bytes that browsers and other clients send unescaped.
            ("/a|b", "/a%7Cb"), ("/{a}", "/%7Ba%7D"), ("/\"<>^`[]", "/%22%3C%3E%5E%60%5B%5D"), ("/a[1]", "/a%5B1%5D"),
            ("/café", "/caf%C3%A9"), ("/e\u{301}", "/e%CC%81"), ("/\u{FF0F}", "/%EF%BC%8F"),
            ("/\u{1F43B};v=é", "/%F0%9F%90%BB;v=%C3%A9"),
        ] as [(String, String?)]
    )
    func `escapes of unreserved characters are decoded, and other escapes get upper-case digits`(
        path: String, canonical: String?
    ) {
        #expect((try? RequestPath(path))?.text == canonical)
    }

    @Test(
        arguments: [
            // T262
            ("//orders", .emptySegment), ("/orders//admin", .emptySegment), ("/./orders", .dotSegment),
            ("/orders/./admin", .dotSegment),
            ("//", .emptySegment), ("/orders//", .emptySegment),
            // T263
            ("/public/../orders", .dotSegment), ("/orders/x/../admin", .dotSegment), ("/..", .dotSegment),
            ("/../orders", .dotSegment),
            ("/.", .dotSegment), ("/orders/.", .dotSegment), ("/orders/../", .dotSegment),
            // T264
            ("/public/%2e%2e/orders", .dotSegment), ("/public/%2E./orders", .dotSegment),
            ("/public/.%2e/orders", .dotSegment),
            ("/public/%252e%252e/orders", .doubleEncoding), ("/public/%u002e", .invalidEscape),
            ("/public/%c0%ae", .notUTF8),
            ("/public/..%00/", .controlByte),
            // T265
            ("/public/..;/orders", .dotSegment), ("/public;x=/../orders", .dotSegment), ("/public/..;a=b", .dotSegment),
            ("/public/.;/orders", .dotSegment), ("/public/..%3b/orders", .dotSegment),
            ("/public/%2e%2e%3Bx/orders", .dotSegment),
            ("/public/;/orders", .emptySegment), ("/public/;x=y/orders", .emptySegment), ("/public/;", .emptySegment),
            // T266
            ("/orders%2fadmin", .encodedSlash), ("/orders%2Fadmin", .encodedSlash),
            ("/orders%5cadmin", .encodedBackslash),
            ("/orders%5C", .encodedBackslash), ("/orders\\admin", .backslash), ("\\", .notAbsolute),
            ("/\\", .backslash),
            // T269
            ("/orders%00", .controlByte), ("/orders%0a", .controlByte), ("/orders%09", .controlByte),
            ("/orders%1F", .controlByte),
            ("/orders%7f", .controlByte), ("/orders\t", .controlByte), ("/orders\u{7F}", .controlByte),
            // T271
            ("/orders#/public", .forbiddenCharacter), ("/public#/orders", .forbiddenCharacter),
            ("/orders?x", .forbiddenCharacter),
            ("/a b", .forbiddenCharacter),
            // T272
            ("/%", .invalidEscape), ("/%2", .invalidEscape), ("/%zz", .invalidEscape), ("/%2g", .invalidEscape),
            ("/a%/b", .invalidEscape),
            ("/a%2/b", .invalidEscape), ("/%%32", .invalidEscape),
            // T273
            ("/%c1%81", .notUTF8), ("/%e0%80%af", .notUTF8), ("/%ed%a0%80", .notUTF8),
            ("/%f4%90%80%80", .notUTF8),
            ("/%c3", .notUTF8), ("/%c3/%a9", .notUTF8), ("/%a9", .notUTF8), ("/%ff", .notUTF8),
            ("/%f8%88%80%80%80", .notUTF8),
            // A second decoding must find nothing, however the digits of the first are written.
            ("/%2525", .doubleEncoding), ("/%25%32%65", .doubleEncoding), ("/%252%46", .doubleEncoding),
            ("/%25%32f", .doubleEncoding),
            ("/x%2500", .doubleEncoding), ("/%25Ff", .doubleEncoding),
            ("orders", .notAbsolute), ("*", .notAbsolute), ("%2Forders", .notAbsolute),
        ] as [(String, PathRejection)]
    )
    func `a path that two parsers may read differently is refused`(path: String, rejection: PathRejection) {
        #expect(PathRejection.of(path) == rejection)
    }

    @Test func `segments are returned decoded`() throws {
        let path = try RequestPath("/users/%40me/caf%C3%A9/%7e/a%25/")
        #expect(path.segmentTexts == ["users", "@me", "café", "~", "a%"])
        #expect(path.segment(at: 5) == nil)
        #expect(path.segment(at: -1) == nil)
    }

    @Test(arguments: [
        ("/", 0, false), ("", 0, false), ("/a", 1, false), ("/a/", 1, true), ("/a/b/c/", 3, true),
        ("/%61/%2a", 2, false),
    ])
    func `a trailing slash is not counted as a segment`(path: String, count: Int, slash: Bool) throws {
        let path = try RequestPath(path)
        #expect(path.segmentCount == count)
        #expect(path.trailingSlash == slash)
    }

    @Test(arguments: [
        ("/a;b", true), ("/a%3Bb", true), ("/a%3bb/c", true), ("/a;/c/", true), ("/a", false), ("/a%3A", false),
    ])
    func `path parameters of a request are reported`(path: String, reported: Bool) throws {
        #expect(try RequestPath(path).hasParameters == reported)
    }

    @Test(
        arguments: [
            ("/admin;x=1/users", ["admin", "users"]), ("/admin;/users;a;b=/c", ["admin", "users", "c"]),
            ("/admin%3bx/%75sers%3By/", ["admin", "users"]), ("/caf%C3%A9;v=%C3%A9", ["café"]), ("/a%3B%2a;c", ["a"]),
            ("/%2a;x", ["*"]),
            ("/a;..", ["a"]), ("/...;x", ["..."]),
        ])
    func `a segment's name ends before its parameters, and the path is forwarded with the parameters`(
        path: String, names: [String]
    ) throws {
        let path = try RequestPath(path)
        #expect(
            (0..<path.segmentCount).compactMap { path.segmentName(at: $0) }.map { String(decoding: $0, as: UTF8.self) }
                == names)
        #expect(path.segmentName(at: names.count) == nil && path.segmentName(at: -1) == nil)
        #expect(path.text.contains(";") || path.text.contains("%3B"))
    }

    @Test(
        arguments: [
            ("/;x/", .emptySegment), ("/;x", .emptySegment), ("/;", .emptySegment), ("/a/;/b", .emptySegment),
            ("/a/%3B", .emptySegment),
            ("/a/%3bx=1/b", .emptySegment), ("/a/;x=1/", .emptySegment), ("/..;/", .dotSegment), ("/.;/a", .dotSegment),
            ("/a/..;x=1/b", .dotSegment), ("/a/%2e%2e;/b", .dotSegment), ("/a/..%3b/b", .dotSegment),
            ("/a/.%3Bx", .dotSegment),
            ("/a/%2E.;", .dotSegment), ("/a;x=%2F/b", .encodedSlash), ("/a;x=%253B", .doubleEncoding),
            ("/a%253Bx", .doubleEncoding),
        ] as [(String, PathRejection)])
    func `a segment that is empty or a dot segment without its parameters is refused`(
        path: String, rejection: PathRejection
    ) {
        #expect(PathRejection.of(path) == rejection)
    }

    @Test(
        arguments: [
            ("/api;v=2/orders", 1, "/orders"), ("/api;v=2", 1, ""), ("/api;v=2/", 1, "/"),
            ("/api;a/x;b/y;c", 1, "/x;b/y;c"),
            ("/api%3bv/x%3b1", 1, "/x%3B1"), ("/orders/7/x", 0, "/orders/7/x"), ("/orders/7/x", 1, "/7/x"),
            ("/orders/7/x", 2, "/x"),
            ("/orders/7/x", 3, ""),
            ("/orders/7/x", 9, ""),
            ("/orders/", 1, "/"), ("/orders", 1, ""), ("/", 0, "/"), ("/", 1, ""),
            ("/caf%c3%a9/%c3%a9/", 1, "/%C3%A9/"),
            ("/a/b", -1, "/a/b"),
        ]
    )
    func `the path after the leading segments begins with a slash or is empty`(path: String, count: Int, rest: String)
        throws
    {
        let path = try RequestPath(path)
        #expect(String(decoding: path.canonical[path.suffixStart(afterSegments: count)...], as: UTF8.self) == rest)
    }

    @Test func `every raw byte of a path is kept, escaped, refused or a separator`() throws {
        let plain = Set("!$&'()*+,-.0123456789:=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~;/".utf8)
        let escaped = Set("\"<>[]^`{|}".utf8)
        for byte in escaped {
            #expect(
                try RequestPath("/x" + String(UnicodeScalar(byte))).text == "/x%" + String(byte, radix: 16).uppercased()
            )
        }
        for byte in UInt8.min...UInt8.max {
            let expected: PathRejection? =
                switch byte {
                case _ where plain.contains(byte) || escaped.contains(byte): nil
                case 0x00...0x1F, 0x7F: .controlByte
                case 0x80...: .notUTF8
                case UInt8(ascii: "\\"): .backslash
                case UInt8(ascii: "%"): .invalidEscape
                default: .forbiddenCharacter
                }
            #expect(PathRejection.of([UInt8]("/x".utf8) + [byte]) == expected)
        }
    }

    /// Path segments, some with bytes that are not UTF-8 and some that look alike.
    private static let rawTexts = [
        "/", "a", "|", "{", "}", "^", "`", "\"", "<", ">", "[", "]", "é", "\u{301}", "\u{FF0E}", "\u{FF0F}", "\u{2215}",
        ".", "..", ";",
        "\\",
    ]
    private static let rawBytes: [[UInt8]] = [
        [0xC3], [0xA9], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xFF], [0x85], [0xA0],
    ]
    private static let rawPieces: [[UInt8]] = rawTexts.map { [UInt8]($0.utf8) } + rawBytes

    @Test func `raw and escaped spellings of the same path have the same canonical form`() {
        var generator = SeededGenerator(seed: 0x7261)
        var (accepted, refused) = (0, 0)
        for _ in 0..<40_000 {
            let count = Int.random(in: 1...8, using: &generator)
            let raw =
                Array("/".utf8)
                + (0..<count).compactMap { _ in Self.rawPieces.randomElement(using: &generator) }.joined()
            let isEscaped: (UInt8) -> Bool = { $0 >= 0x80 || "|{}^`\"<>[]".utf8.contains($0) }
            let some = raw.flatMap { byte in
                isEscaped(byte) && Bool.random(using: &generator) ? Self.escape(byte) : [byte]
            }
            let all = raw.flatMap { isEscaped($0) ? Self.escape($0) : [$0] }
            let (one, other, third) = (Self.form(raw), Self.form(some), Self.form(all))
            #expect(one == other && one == third, "\(raw)")
            guard case .success(let path) = one else {
                refused += 1
                continue
            }
            accepted += 1
            #expect(path.allSatisfy { $0 < 0x80 && !isEscaped($0) })
            #expect(NaiveDecoding.decode(path) == NaiveDecoding.decode(raw))
        }
        #expect(accepted > 3_000 && refused > 3_000)
    }

    private static func escape(_ byte: UInt8) -> [UInt8] { Array("%\(String(byte, radix: 16))".utf8) }

    private static func form(_ bytes: [UInt8]) -> Result<[UInt8], PathRejection> {
        var path = RequestPath()
        do throws(PathRejection) {
            try path.canonicalize(bytes.span)
            return .success(path.canonical)
        } catch {
            return .failure(error)
        }
    }

    @Test func `every escape is decoded, kept with upper-case digits, or refused`() throws {
        let unreserved = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._~".utf8)
        for byte in UInt8.min...UInt8.max {
            let digits = String(byte, radix: 16)
            let escape = digits.count == 1 ? "%0" + digits : "%" + digits
            let expected: PathRejection? =
                switch byte {
                case 0x00...0x1F, 0x7F: .controlByte
                case UInt8(ascii: "/"): .encodedSlash
                case UInt8(ascii: "\\"): .encodedBackslash
                case 0x80...: .notUTF8
                default: nil
                }
            #expect(PathRejection.of("/x" + escape) == expected)
            guard expected == nil else { continue }
            let kept = unreserved.contains(byte) ? String(UnicodeScalar(byte)) : escape.uppercased()
            #expect(try RequestPath("/x" + escape).text == "/x" + kept)
        }
    }

    @Test(
        arguments: [
            ("/groups/a%2fb", "/groups/a%2Fb", ["groups", "a/b"], ["/groups/a/b"]),
            ("/a%2Fb%2fc/d", "/a%2Fb%2Fc/d", ["a/b/c", "d"], ["/a/b/c/d"]),
            ("/caf%c3%a9%2F%40me", "/caf%C3%A9%2F%40me", ["café/@me"], ["/caf%C3%A9/%40me"]),
            ("/a%2F", "/a%2F", ["a/"], ["/a/"]),
            ("/a%2F;x/b", "/a%2F;x/b", ["a/;x", "b"], nil),
            ("/a;x=%2F/b", "/a;x=%2F/b", ["a;x=/", "b"], ["/a;x=//b", "/a;x=/b"]),
            ("/a;x%2Fb", "/a;x%2Fb", ["a;x/b"], ["/a;x/b"]), ("/%2Fa", "/%2Fa", ["/a"], nil),
            ("/a%2F%2Fb", "/a%2F%2Fb", ["a//b"], ["/a//b", "/a/b"]),
            ("/a/%2F/b", "/a/%2F/b", ["a", "/", "b"], ["/a///b", "/a/b"]),
            ("/a/%2F", "/a/%2F", ["a", "/"], ["/a//", "/a/"]), ("/a%2F%2F", "/a%2F%2F", ["a//"], ["/a//", "/a/"]),
            ("/q/https:%2F%2Fx%2F", "/q/https:%2F%2Fx%2F", ["q", "https://x/"], ["/q/https://x/", "/q/https:/x/"]),
            ("/a%2F..%2Fb", "/a%2F..%2Fb", ["a/../b"], nil), ("/..%2Fa", "/..%2Fa", ["../a"], nil),
            ("/a%2F%2F..", "/a%2F%2F..", ["a//.."], nil), ("/a%2F/b", "/a%2F/b", ["a/", "b"], ["/a//b", "/a/b"]),
            ("/a%2F%2e", "/a%2F.", ["a/."], nil), ("/%2f", "/%2F", ["/"], nil), ("/plain", "/plain", ["plain"], []),
        ] as [(String, String, [String], [String]?)])
    func `a kept encoded slash is part of its segment, and decoded readings split there`(
        text: String, canonical: String, segments: [String], readings: [String]?
    ) throws {
        var path = RequestPath()
        try path.canonicalize([UInt8](text.utf8).span, encodedSlashes: .keep)
        #expect(path.text == canonical)
        #expect(path.segmentTexts == segments)
        #expect(path.hasEncodedSlashes == (text != "/plain"))
        #expect((try? path.decodedReadings())?.map(\.text) == readings)
        if readings == nil { #expect(throws: PathRejection.self) { try path.decodedReadings() } }
        // The canonical form must be its own canonical form, and leave no state for the next path.
        var again = RequestPath()
        try again.canonicalize(path.canonical.span, encodedSlashes: .keep)
        #expect(again.canonical == path.canonical)
        try path.canonicalize([UInt8]("/a".utf8).span, encodedSlashes: .keep)
        #expect(!path.hasEncodedSlashes)
    }

    @Test
    func `the first decoded reading keeps empty segments, the second omits them, and neither begins a forwarded path`()
        throws
    {
        var path = RequestPath()
        try path.canonicalize([UInt8]("/shop/%2F%2F/a%2F".utf8).span, encodedSlashes: .keep)
        #expect(try path.decodedReadings().map(\.segmentTexts) == [["shop", "", "", "", "a"], ["shop", "a"]])
        #expect(try path.decodedReadings().map(\.trailingSlash) == [true, true])
        #expect(throws: PathRejection.emptySegment) { try path.decodedReadings(forwardedFrom: 1) }
        try path.canonicalize([UInt8]("/shop/a%2F%2Fb".utf8).span, encodedSlashes: .keep)
        #expect(try path.decodedReadings(forwardedFrom: 1).count == 2)
        #expect(throws: PathRejection.emptySegment) {
            try path.canonicalize([UInt8]("/shop//a".utf8).span, encodedSlashes: .keep)
        }
    }

    @Test(
        arguments: [
            ("/a%252Fb", .doubleEncoding), ("/a%25%32Fb", .doubleEncoding), ("/a%252fb", .doubleEncoding),
            ("/a%5Cb", .encodedBackslash),
            ("/a%2F%5cb", .encodedBackslash), ("/a%2F/../b", .dotSegment), ("/a%2Fb//c", .emptySegment),
            ("/a%2", .invalidEscape),
            ("/a%2Fb%00", .controlByte), ("/a%2F%E9", .notUTF8),
        ] as [(String, PathRejection)])
    func `a path that is invalid apart from a kept encoded slash is refused`(text: String, rejection: PathRejection) {
        var path = RequestPath()
        #expect(throws: rejection) { try path.canonicalize([UInt8](text.utf8).span, encodedSlashes: .keep) }
    }

    // MARK: Opaque slashes

    @Test(
        arguments: [
            ("/a%2fb", "/a%2Fb", ["a/b"]), ("/a%252fb%2f", "/a%252fb%2F", ["a%2fb/"]),
            ("/q/%2F/x", "/q/%2F/x", ["q", "/", "x"]),
            ("/%2561", "/%2561", ["%61"]), ("/%25%36%31", "/%2561", ["%61"]), ("/100%25", "/100%25", ["100%"]),
            ("/a%2F%2Fb", "/a%2F%2Fb", ["a//b"]), ("/a%25252Fb", "/a%25252Fb", ["a%252Fb"]),
            ("/a%25C3%2528", "/a%25C3%2528", ["a%C3%28"]),
            ("/a/%2F%2F/", "/a/%2F%2F/", ["a", "//"]), ("/...%2F..a", "/...%2F..a", [".../..a"]),
        ] as [(String, String, [String])])
    func `an opaque encoded slash or double-encoded escape is part of its segment`(
        text: String, canonical: String, segments: [String]
    ) throws {
        var path = RequestPath()
        try path.canonicalize([UInt8](text.utf8).span, encodedSlashes: .opaque)
        #expect(path.text == canonical)
        #expect(path.segmentTexts == segments)
        #expect(path.hasEncodedSlashes == segments.contains { $0.contains("/") })
        #expect(path.hasDoubleEncoding == segments.contains { $0.contains(/%[0-9A-Fa-f]{2}/) })
        try path.judgeDecodings()
        var again = RequestPath()
        try again.canonicalize(path.canonical.span, encodedSlashes: .opaque)
        #expect(again.canonical == path.canonical)
        if path.hasDoubleEncoding {
            #expect(throws: PathRejection.doubleEncoding) { try path.decodedReadings() }
            #expect(throws: PathRejection.doubleEncoding) {
                try path.canonicalize([UInt8](text.utf8).span, encodedSlashes: .keep)
            }
        }
        try path.canonicalize([UInt8]("/a".utf8).span, encodedSlashes: .opaque)
        #expect(!path.hasEncodedSlashes && !path.hasDoubleEncoding)
    }

    @Test(
        arguments: [
            ("/%2Fa", .emptySegment), ("/%252Fa", .emptySegment), ("/%2F", .emptySegment), ("/a%2F..%2Fb", .dotSegment),
            ("/a%2F..", .dotSegment), ("/..%2Fa", .dotSegment), ("/a%2F%2e", .dotSegment),
            ("/a/%252e%252E/b", .dotSegment),
            ("/a/%252E", .dotSegment), ("/a%252F..%252Fb", .dotSegment), ("/a%2F..;x%2Fb", .dotSegment),
            ("/a/..%253Bx/b", .dotSegment),
            ("/a%255Cb", .encodedBackslash), ("/a%255c", .encodedBackslash), ("/a%2500", .controlByte),
            ("/a%251f%2F", .controlByte),
            ("/a%257F", .controlByte),
        ] as [(String, PathRejection)])
    func `an opaque path is refused if decoding it once or twice leads elsewhere`(
        text: String, rejection: PathRejection
    ) throws {
        var path = RequestPath()
        try path.canonicalize([UInt8](text.utf8).span, encodedSlashes: .opaque)
        #expect(throws: rejection) { try path.judgeDecodings() }
        // The fault is in the only segment, or in the second, whatever surrounds it.
        let index = text.hasPrefix("/a/") ? 1 : 0
        #expect(path.misleadingSegment == index)
        try path.canonicalize([UInt8]("\(text)/%2F/b".utf8).span, encodedSlashes: .opaque)
        #expect(path.misleadingSegment == index)
    }

    @Test(
        arguments: [
            ("/a%5Cb", .encodedBackslash), ("/a%00", .controlByte), ("/a//b", .emptySegment), ("/a/../b", .dotSegment),
            ("/%2e%2e/%2F", .dotSegment), ("/a%2", .invalidEscape), ("/a%2F%E9", .notUTF8), ("/a%252F%E9", .notUTF8),
        ] as [(String, PathRejection)])
    func `a path that is invalid apart from an opaque slash is refused`(text: String, rejection: PathRejection) {
        var path = RequestPath()
        #expect(throws: rejection) { try path.canonicalize([UInt8](text.utf8).span, encodedSlashes: .opaque) }
    }

    /// True if another server that decodes the path reaches another place than the path seems to name.
    private static func isMisled(by decoded: [UInt8]) -> Bool {
        let text = String(decoding: decoded, as: UTF8.self)
        let names = decoded.split(separator: UInt8(ascii: "/")).map { piece in
            String(decoding: piece.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        }
        return text.hasPrefix("//") || names.contains(".") || names.contains("..")
            || decoded.contains(UInt8(ascii: "\\"))
            || decoded.contains { $0 < 0x20 || $0 == 0x7F }
    }

    @Test func `an opaque path is refused exactly if it misleads a server that decodes it once or twice`() {
        var generator = SeededGenerator(seed: 0x2525)
        var (letThrough, refused) = (0, 0)
        let pieces = Self.pieces + ["%2F", "%2F", "%252F", "%255C", "%2500", "%25252e", "%253B"]
        for _ in 0..<60_000 {
            let count = Int.random(in: 1...8, using: &generator)
            let text = "/" + (0..<count).map { _ in generator.pick(pieces) }.joined()
            var path = RequestPath()
            guard (try? path.canonicalize([UInt8](text.utf8).span, encodedSlashes: .opaque)) != nil else { continue }
            let once = NaiveDecoding.decode(path.canonical)
            let isRefused = Self.isMisled(by: once) || Self.isMisled(by: NaiveDecoding.decode(once))
            #expect(((try? path.judgeDecodings()) == nil) == isRefused, "\(text)")
            #expect((path.misleadingSegment != nil) == isRefused, "\(text)")
            if isRefused { refused += 1 } else { letThrough += 1 }
        }
        #expect(letThrough > 5_000 && refused > 1_000)
    }

    @Test func `a request path value can be reused after a rejection`() throws {
        var path = RequestPath()
        for text in ["/a/b;c/%C3%A9/", "/x", "/", "/caf%c3%a9"] {
            #expect(throws: PathRejection.dotSegment) { try path.canonicalize([UInt8]("/q;p/%C3%A9/..".utf8).span) }
            try path.canonicalize([UInt8](text.utf8).span)
            let fresh = try RequestPath(text)
            #expect(path.canonical == fresh.canonical)
            #expect(path.segmentTexts == fresh.segmentTexts)
            #expect(path.hasParameters == fresh.hasParameters)
            #expect(path.trailingSlash == fresh.trailingSlash)
        }
        path.releaseStorage()
        #expect(path.text == "/")
        #expect(path.segmentCount == 0)
    }

    @Test func `a path of the maximum length is read, and a path one byte longer is refused`() {
        let longest = [UInt8(ascii: "/")] + [UInt8](repeating: UInt8(ascii: "a"), count: RequestPath.longestPath - 1)
        #expect(PathRejection.of(longest) == nil)
        #expect(PathRejection.of(longest + longest.suffix(1)) == .tooLong)
    }

    @Test func `4,096 segments are read, and 100,000 slashes are refused`() throws {
        // T275
        #expect(try RequestPath(String(repeating: "/a", count: 4096)).segmentCount == 4096)
        #expect(PathRejection.of([UInt8](repeating: UInt8(ascii: "/"), count: 100_000)) == .emptySegment)
    }

    /// The pieces that path confusion is made of.
    private static let pieces = [
        "/", "/", "/", "a", "b", ".", "..", "%2e", "%2E", "%252e", "%25", "%2", "%", "%2f", "%5c", "\\", ";", "%3b",
        "%00", "%c0%ae",
        "%c3%a9",
        "%C3", "%A9", "%32", "%65", "32", "e", "%40", "@", "*", " ", "\u{E9}", "orders", "%6f",
    ]

    @Test func `an accepted path stays the same when it is parsed again, decoded twice or resolved`() {
        var generator = SeededGenerator(seed: 0x7264)
        var accepted = 0
        for _ in 0..<60_000 {
            let count = Int.random(in: 1...8, using: &generator)
            let text = "/" + (0..<count).compactMap { _ in Self.pieces.randomElement(using: &generator) }.joined()
            guard let path = try? RequestPath(text) else { continue }
            accepted += 1
            let again = try? RequestPath(path.text)
            #expect(again?.canonical == path.canonical)
            #expect(again?.segmentTexts == path.segmentTexts)
            let once = NaiveDecoding.decode(path.canonical)
            #expect(NaiveDecoding.decode(once) == once)
            #expect(NaiveReader.resolvedSegments(once) == path.segmentTexts)
        }
        #expect(accepted > 5_000)
    }
}

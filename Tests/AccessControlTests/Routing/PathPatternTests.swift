import Testing

@testable import AccessControl

struct PathPatternTests {
    @Test(
        arguments: [
            ("/", "/"), ("/orders", "/orders"), ("/orders/", "/orders/"), ("/orders/**", "/orders/**"), ("/**", "/**"),
            ("/*", "/*"),
            ("/a/{id}/*/", "/a/{id}/*/"), ("/%6frders", "/orders"), ("/users/%40me", "/users/@me"),
            ("/straße", "/stra%C3%9Fe"),
            ("/stra%c3%9fe", "/stra%C3%9Fe"), ("/a%2Ab", "/a%2Ab"), ("/%2A", "/%2A"), ("/%2a%2A", "/%2A%2A"),
            ("/%7Bid%7D", "/%7Bid%7D"),
            ("/{id}:cancel", "/{id}:cancel"), ("/Items({id})", "/Items({id})"), ("/*.css", "/*.css"), ("/v*", "/v*"),
            ("/%2E*", "/%2E*"), ("/.{a}", "/.{a}"), ("/.*a", "/.*a"), ("/{id}..", "/{id}.."), ("/a%2Ab*", "/a%2Ab*"),
            ("/%24{id}", "/%24{id}"), ("/%7B{id}%7D", "/%7B{id}%7D"),
            ("/é{id}%c3%a9/x", "/%C3%A9{id}%C3%A9/x"), ("/**/healthz", "/**/healthz"),
            ("/a/**/{b}/*.c/", "/a/**/{b}/*.c/"),
            ("/a;b", "/a;b"), ("/...", "/..."), ("/{Order-Id_2}", "/{Order-Id_2}"), ("/a%25", "/a%25"),
        ]
    )
    func `a path pattern is written in its canonical form, which reads back as the same pattern`(
        text: String, description: String
    ) throws {
        let pattern = try PathPattern(text)
        #expect(pattern.description == description)
        #expect(try PathPattern(description) == pattern)
    }

    @Test(
        arguments: [
            ("", .path(.notAbsolute)), ("orders", .path(.notAbsolute)), ("{id}", .path(.notAbsolute)),
            ("//", .path(.emptySegment)),
            ("/a//b", .path(.emptySegment)), ("/a/../b", .path(.dotSegment)), ("/%2e", .path(.dotSegment)),
            ("/..;x", .path(.dotSegment)),
            ("/a%2fb", .path(.encodedSlash)), ("/a\\b", .path(.backslash)), ("/a%5Cb", .path(.encodedBackslash)),
            ("/%252e", .path(.doubleEncoding)),
            ("/%zz", .path(.invalidEscape)), ("/%c0%ae", .path(.notUTF8)), ("/%0a", .path(.controlByte)),
            ("/a b", .path(.forbiddenCharacter)),
            ("/a?b=c", .path(.forbiddenCharacter)), ("/a#b", .path(.forbiddenCharacter)),
            ("/a/**/", .slashAfterDoubleWildcard), ("/**/", .slashAfterDoubleWildcard),
            ("/**/**", .severalDoubleWildcards), ("/**/a/**", .severalDoubleWildcards),
            ("/***", .doubleWildcardInSegment("***")), ("/a**", .doubleWildcardInSegment("a**")),
            ("/**.css", .doubleWildcardInSegment("**.css")), ("/*a*", .severalWildcardsInSegment("*a*")),
            ("/{a}-*", .severalWildcardsInSegment("{a}-*")), ("/{a}{b}", .severalWildcardsInSegment("{a}{b}")),
            ("/{id", .braceInSegment("{id")), ("/id}", .braceInSegment("id}")), ("/{", .braceInSegment("{")),
            ("/{id}}", .braceInSegment("{id}}")), ("/}{id}", .braceInSegment("}{id}")),
            ("/.*", .expression), ("/a/**/.*", .expression), ("/${id}", .variableInSegment("${id}")),
            ("/a${id}b", .variableInSegment("a${id}b")),
            ("/a%2F*", .path(.encodedSlash)), ("/*%5C", .path(.encodedBackslash)), ("/*%252e", .path(.doubleEncoding)),
            ("/%c3*", .path(.notUTF8)), ("/*%a9", .path(.notUTF8)), ("/*|", .path(.forbiddenCharacter)),
            ("/*%0a", .path(.controlByte)), ("/{\u{301}id}x", .parameterName("\u{301}id")),
            ("/{}", .parameterName("")), ("/{a b}", .parameterName("a b")), ("/{a.b}", .parameterName("a.b")),
            ("/{1}", .parameterName("1")),
            ("/{é}", .parameterName("é")), ("/{*}", .parameterName("*")),
            ("/{id:[0-9]{3}}", .parameterName("id:[0-9]{3}")),
            ("/{id}/x/{id}", .duplicateParameter("id")), ("/{id}/{id}:x", .duplicateParameter("id")),
            ("/{id}.a/**/{id}", .duplicateParameter("id")),
            // A combining character after a slash must not hide the slash.
            ("/a/\u{301}b/../c", .path(.dotSegment)),
        ] as [(String, PathPatternRejection)]
    )
    func `text that is no path pattern is refused with its cause`(text: String, rejection: PathPatternRejection) {
        #expect(throws: rejection) { try PathPattern(text) }
    }

    @Test func `the parameters of a path pattern have names and positions`() throws {
        let pattern = try PathPattern("/orgs/{org}/*/{id}/**")
        #expect(pattern.parameterNames == ["org", "id"])
        #expect(pattern.position(ofParameter: "org") == 1)
        #expect(pattern.position(ofParameter: "id") == 3)
        #expect(pattern.position(ofParameter: "x") == nil)
    }

    @Test func `a name beside other text or behind a double star has no value`() throws {
        let pattern = try PathPattern("/{org}/{id}:cancel/**/{last}/x-{end}")
        #expect(pattern.parameterNames == ["org"])
        #expect(pattern.namesWithoutValue == ["id", "last", "end"])
        #expect(pattern.position(ofParameter: "id") == nil)
        #expect(pattern.segmentCount == 4)
    }

    @Test func `a path pattern reports its trailing slash and path parameters`() throws {
        #expect(try PathPattern("/a/").trailingSlash)
        #expect(try !PathPattern("/a").trailingSlash)
        #expect(try !PathPattern("/").trailingSlash)
        #expect(try PathPattern("/a;b/c").hasParameters)
        #expect(try PathPattern("/a%3Bb").hasParameters)
        #expect(try !PathPattern("/a/{b}").hasParameters)
        #expect(try PathPattern("/a;{b}").hasParameters)
        #expect(try PathPattern("/**/*%3Bx").hasParameters)
        #expect(try PathPattern("/**/a/").trailingSlash)
    }

    @Test func `a path pattern has at most mostSegments segments`() throws {
        let most = String(repeating: "/a", count: PathPattern.mostSegments)
        #expect(try PathPattern(most).segments.count == PathPattern.mostSegments)
        #expect(throws: PathPatternRejection.tooManySegments) { try PathPattern(most + "/a") }
        #expect(try PathPattern("/**" + most).tail.count == PathPattern.mostSegments)
        #expect(throws: PathPatternRejection.tooManySegments) { try PathPattern("/a/**" + most) }
    }
}

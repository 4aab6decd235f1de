import TestSupport
import Testing
import TokenVerification

@testable import AccessControl

struct RouteTableDifferentialTests {
    private static func table(_ routes: [ReferenceRoute]) throws -> RouteTable {
        try RouteTable(routes.map { try RoutePattern($0.text) })
    }

    private static func rule(
        for request: ReferenceRequest, in table: RouteTable, of routes: [ReferenceRoute], below place: [String]
    ) throws
        -> String?
    {
        let inside = ReferenceRequest(
            method: request.method, segments: place + request.segments, trailingSlash: request.trailingSlash)
        let match = table.match(
            method: [UInt8](request.method.utf8).span, path: try RequestPath(inside.path), below: place.count)
        return match.map { routes[$0.ruleIndex.rawValue].text }
    }

    @Test(arguments: 0..<10)
    func `the compiled route table agrees with a search through sorted rules, whatever their order`(seed: Int) throws {
        var generator = ReferenceGenerator(seed: UInt64(seed))
        var found = 0
        for _ in 0..<300 {
            let routes = ReferenceGenerator.withoutConflicts(generator.routes())
            let shuffled = routes.shuffled(using: &generator.generator)
            let table = try Self.table(routes)
            let shuffledTable = try Self.table(shuffled)
            for _ in 0..<20 {
                let request = generator.request()
                let place = Bool.random(using: &generator.generator) ? [] : ["place", "a"]
                let expected = ReferenceRoute.rule(for: request, among: routes)
                let rule = try Self.rule(for: request, in: table, of: routes, below: place)
                let shuffledRule = try Self.rule(for: request, in: shuffledTable, of: shuffled, below: place)
                #expect(rule == expected, "\(request) among \(routes.map(\.text))")
                #expect(shuffledRule == expected, "\(request) among \(shuffled.map(\.text))")
                found += expected == nil ? 0 : 1
            }
        }
        #expect(found > 1_500)
    }

    /// 50 times 2,000 tables.
    @Test(arguments: Effort.some(0..<50, quick: 2))
    func `a table with parts of segments agrees with a search through sorted rules, whatever their order`(
        seed: Int
    ) throws {
        var generator = ReferenceGenerator(seed: 0x9A57 + UInt64(seed))
        var (ofPartial, behindRest) = (0, 0)
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...10, using: &generator.generator)
            let routes = ReferenceGenerator.withoutConflicts((0..<count).map { _ in generator.routeOfParts() })
            let shuffled = routes.shuffled(using: &generator.generator)
            let (table, shuffledTable) = (try Self.table(routes), try Self.table(shuffled))
            for _ in 0..<8 {
                let request = generator.requestOfParts()
                let place = generator.generator.once(in: 2) ? [] : ["place", "a"]
                let expected = ReferenceRoute.rule(for: request, among: routes)
                let rule = try Self.rule(for: request, in: table, of: routes, below: place)
                let other = try Self.rule(for: request, in: shuffledTable, of: shuffled, below: place)
                try #require(rule == expected && other == expected, "\(request) among \(routes.map(\.text))")
                if let expected, ["a*", "*a", "b*", "*b", "a{", "}a", "b{"].contains(where: expected.contains) {
                    ofPartial += 1
                }
                if expected?.contains("**/") == true { behindRest += 1 }
            }
        }
        #expect(ofPartial > 500)
        #expect(behindRest > 500)
    }

    @Test func `two patterns of parts that match one request overlap`() throws {
        var generator = ReferenceGenerator(seed: 0xA3B)
        var overlaps = 0
        for _ in 0..<20_000 {
            let routes = [generator.routeOfParts(), generator.routeOfParts()]
            let request = generator.requestOfParts()
            guard routes.allSatisfy({ $0.rank(for: request) != nil }) else { continue }
            overlaps += 1
            let patterns = try routes.map { try RoutePattern($0.text) }
            #expect(patterns[0].mayOverlap(patterns[1]) && patterns[1].mayOverlap(patterns[0]), "\(routes.map(\.text))")
        }
        #expect(overlaps > 100)
    }

    @Test(arguments: 0..<6)
    func `path parameters change neither the matched rule nor the captured values (T265)`(seed: Int) throws {
        var generator = ReferenceGenerator(seed: UInt64(seed))
        var found = 0
        for _ in 0..<200 {
            let table = try Self.table(ReferenceGenerator.withoutConflicts(generator.routes()))
            for _ in 0..<20 {
                let request = generator.request()
                var parameterized = request
                for index in request.segments.indices where generator.generator.once(in: 2) {
                    let parameters = [";", ";x=1", "%3B", "%3bx", ";a;b", ";x=%2e%2E", ";a=b%3Bc", "%3B;%C3%A9"]
                    parameterized.segments[index] += generator.generator.pick(parameters)
                }
                let (plain, path) = (try RequestPath(request.path), try RequestPath(parameterized.path))
                let method = [UInt8](request.method.utf8)
                let match = table.match(method: method.span, path: plain, below: 0)
                #expect(table.match(method: method.span, path: path, below: 0) == match, "\(parameterized.path)")
                guard let match else { continue }
                found += path.hasParameters ? 1 : 0
                for name in try #require(table.routes[match.ruleIndex]).path.parameterNames {
                    let value = table.value(of: name, in: match, path: plain).map(Array.init)
                    #expect(
                        table.value(of: name, in: match, path: path).map(Array.init) == value, "\(parameterized.path)")
                }
            }
        }
        #expect(found > 500)
    }

    @Test func `a conflict is found exactly if two rules match the same requests with equal precedence`() throws {
        var generator = ReferenceGenerator(seed: 0xC0)
        var conflicts = 0
        for _ in 0..<2_000 {
            let routes = generator.routes()
            let expected = ReferenceGenerator.conflict(in: routes)
            var conflict: RouteConflict?
            do {
                _ = try Self.table(routes)
            } catch let error as RouteConflict {
                conflict = error
            }
            #expect(conflict?.second == expected?.second, "\(routes.map(\.text))")
            if let conflict {
                #expect(routes[conflict.first.rawValue].isInConflict(with: routes[conflict.second.rawValue]))
            }
            conflicts += expected == nil ? 0 : 1
        }
        #expect(conflicts > 200)
    }

    /// All requests of up to four segments over the generator's alphabet and one more name.
    private static let everyRequest: [ReferenceRequest] = {
        var paths: [[String]] = [[]]
        var longest = paths
        for _ in 0..<4 {
            longest = longest.flatMap { path in ["a", "b", "c", "d"].map { path + [$0] } }
            paths += longest
        }
        return paths.flatMap { path in
            ["GET", "POST", "HEAD", "PURGE", "DELETE"].flatMap { method in
                [false, true].map { ReferenceRequest(method: method, segments: path, trailingSlash: $0) }
            }
        }
    }()

    @Test(arguments: [false, true])
    func `a rule reported as unreachable never matches`(hasParts: Bool) throws {
        var generator = ReferenceGenerator(seed: 0xDEAD)
        var reported = 0
        for _ in 0..<60 {
            let routes = ReferenceGenerator.withoutConflicts(
                (0..<24).map { _ in hasParts ? generator.routeOfParts() : generator.route() })
            let table = try Self.table(routes)
            let unreachable = Set(table.unreachableRules.map { routes[$0.rawValue].text })
            guard !unreachable.isEmpty else { continue }
            reported += unreachable.count
            let random = (0..<(hasParts ? 1_000 : 0)).map { _ in generator.requestOfParts() }
            for request in Self.everyRequest + random {
                let rule = try Self.rule(for: request, in: table, of: routes, below: [])
                #expect(rule.map(unreachable.contains) != true, "\(request) among \(routes.map(\.text))")
            }
        }
        #expect(reported > 20)
    }
}

import AccessControl
import ConfigurationFile
import RequestAuthorization
import TokenVerification

/// Finds one request for each pair of rules (of the old and the new file) that some request matches.
///
/// Paths are extended segment by segment: with each segment that a file names there, and one that neither names. They
/// become one segment longer than the longest named path. Each of them is also extended with the segments behind a
/// `**` that covers it. The tables that route traffic decide which rules match.
struct RequestClasses {
    private let old: PolicySide
    private let new: PolicySide
    private let methods: [String]
    private let encodedSlashes: EncodedSlashes
    private let keepsParameters: Bool
    private var seen: Set<Key> = []
    private(set) var classes: [RequestClass] = []
    /// Number of paths tried so far.
    private var count = 0

    /// Maximum number of paths that are tried.
    static let mostPaths = 2_000_000

    /// Properties that decide how both files judge a request. Requests with equal keys are judged alike.
    private struct Key: Hashable {
        let old: PlaceIndex?
        let oldRule: RuleIndex?
        let oldUpstream: RuleIndex?
        let new: PlaceIndex?
        let newRule: RuleIndex?
        let newUpstream: RuleIndex?
        let form: PathForm
    }

    /// Written form of a path, which a resource can reject regardless of the segments.
    private enum PathForm: Hashable {
        case plain
        case parameters
        /// A `%25` before two hexadecimal digits, after the last segment.
        case doubleEncoding
        /// Some slashes are encoded. Holds the shape, the number of segments, and each file's place, rule and upstream
        /// for the decoded path.
        case encodedSlashes(PathShape, Int, [PlaceIndex?], [RuleIndex?])
    }

    init(_ old: PolicySide, _ new: PolicySide) {
        (self.old, self.new) = (old, new)
        let resources = [old, new].flatMap { $0.configuration.resources.map(\.terms) }
        methods = Self.methods(of: resources)
        encodedSlashes = EncodedSlashes.mostLenient(resources.map(\.encodedSlashes))
        keepsParameters = resources.contains(where: \.keepsPathParameters)
        findAll()
    }

    /// True if a segment has too many texts to try all of them.
    private var areSegmentsMissing = false

    /// Whether requests may be missing because a limit was hit.
    var areMissing: Bool { areCutShort || areSegmentsMissing }

    private var areCutShort: Bool { count > Self.mostPaths }

    /// Methods that rules name, and one that no rule names.
    private static func methods(of resources: [ProtectedResource]) -> [String] {
        let usual = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"]
        let named = Set(resources.flatMap { $0.routes.routes.flatMap(\.methods.tokens) }).union(["GET", "HEAD"])
        // Rules may name even these. One number more than rules name methods leaves at least one free.
        let numbered = (0...named.count).map { "ANYTHING\($0)" }
        let other = (usual + ["PURGE", "QUERY", "ANYTHING"] + numbered).first { !named.contains($0) }
        return usual.filter(named.contains) + named.subtracting(usual).sorted() + [other].compactMap { $0 }
    }

    private mutating func findAll() {
        let all = old.resourcesByPlace + new.resourcesByPlace
        for host in HostClass.all(of: all.map(\.place)) {
            let root = SegmentTree()
            for (place, resource) in all where host.isCovered(by: place) { root.add(place, resource) }
            follow([root], [], [], host)
        }
    }

    /// Adds the requests for a path, and follows all longer paths.
    ///
    /// - Parameters:
    ///   - trees: nodes that this path leads to, in the trees of places and rules.
    ///   - tails: segments behind each `**` that covers the path.
    private mutating func follow(
        _ trees: [SegmentTree], _ segments: [[UInt8]], _ tails: Set<[PathPattern.Segment]>, _ host: HostClass,
        isBeyond: Bool = false
    ) {
        guard !areCutShort else { return }
        note(segments, host)
        let tails = tails.union(trees.flatMap(\.tails))
        for tail in tails.sorted(by: { "\($0)" < "\($1)" }) { complete(trees, segments, tail[...], tails, host) }
        // Beyond all named segments one more is enough, since further ones are treated alike. An encoded slash needs
        // two.
        guard !trees.isEmpty || encodedSlashes != .refuse && !isBeyond else { return }
        let choices = SegmentChoices(trees, avoiding: tails.flatMap(\.self), depth: segments.count)
        areSegmentsMissing = areSegmentsMissing || !choices.areComplete
        for text in choices.named { follow(trees.flatMap { $0.children(over: text) }, segments + [text], tails, host) }
        follow(
            trees.compactMap(\.any), segments + [choices.other], tails, host, isBeyond: trees.isEmpty)
    }

    /// Adds the requests for a path that continues with the segments behind a `**`.
    ///
    /// - Parameters:
    ///   - tail: segments that are missing at the end.
    ///   - tails: all that may stand there. Two of them may match one path.
    private mutating func complete(
        _ trees: [SegmentTree], _ segments: [[UInt8]], _ tail: ArraySlice<PathPattern.Segment>,
        _ tails: Set<[PathPattern.Segment]>, _ host: HostClass
    ) {
        guard !areCutShort else { return }
        guard let next = tail.first else { return note(segments, host) }
        let choices = SegmentChoices(trees, avoiding: tails.flatMap(\.self), depth: segments.count)
        let aligned = tails.compactMap { $0.dropLast(tail.count - 1).last }
        let texts = (choices.named + [choices.other]).filter { next.contains(.literal($0)) }
        let common = ([next] + aligned).compactMap { next.example(with: $0, filler: choices.other) }
        for text in Set(texts + common).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let below = trees.flatMap { $0.children(over: text) }
            complete(below, segments + [text], tail.dropFirst(), tails, host)
        }
    }

    // MARK: The forms of one path

    private mutating func note(_ segments: [[UInt8]], _ host: HostClass) {
        note(PathShape(), segments, .plain, host)
        guard !segments.isEmpty else { return }
        note(PathShape(suffix: "/"), segments, .plain, host)
        if keepsParameters { note(PathShape(suffix: ";v=1"), segments, .parameters, host) }
        if encodedSlashes == .opaque { note(PathShape(suffix: "%252F"), segments, .doubleEncoding, host) }
        if encodedSlashes != .refuse {
            for shape in PathShape.encoded(segments.count) { noteEncoded(shape, segments, host) }
        }
    }

    /// Adds requests for an encoded path, separately for each method: the rules for the decoded path can depend on it.
    private mutating func noteEncoded(_ shape: PathShape, _ segments: [[UInt8]], _ host: HostClass) {
        var path = RequestPath()
        guard (try? path.canonicalize(Array(RequestPath.text(of: segments).utf8).span)) != nil else { return }
        let places = [old, new].map { $0.location(host: host.name, port: host.port, path) }
        for method in methods {
            let rules = places.flatMap { [$0?.rule(for: method, path)?.rule, $0?.upstream] }
            let form = PathForm.encodedSlashes(shape, segments.count, places.map { $0?.place }, rules)
            note(shape, segments, form, host, of: [method])
        }
    }

    private mutating func note(
        _ shape: PathShape, _ segments: [[UInt8]], _ form: PathForm, _ host: HostClass, of some: [String]? = nil
    ) {
        count += 1
        let text = shape.text(of: segments)
        var path = RequestPath()
        guard (try? path.canonicalize(Array(text.utf8).span, encodedSlashes: encodedSlashes)) != nil else { return }
        let oldPlace = old.location(host: host.name, port: host.port, path)
        let newPlace = new.location(host: host.name, port: host.port, path)
        guard oldPlace != nil || newPlace != nil else { return }
        for method in some ?? methods {
            let (oldRule, newRule) = (oldPlace?.rule(for: method, path), newPlace?.rule(for: method, path))
            // Without a rule every request is refused regardless of its token, unless the resource only observes.
            let isForwarded = [oldPlace, newPlace].contains { $0?.isObserved(nil) == true }
            guard oldRule != nil || newRule != nil || isForwarded else { continue }
            let key = Key(
                old: oldPlace?.place, oldRule: oldRule?.rule, oldUpstream: oldPlace?.upstream,
                new: newPlace?.place, newRule: newRule?.rule, newUpstream: newPlace?.upstream, form: form)
            guard seen.insert(key).inserted else { continue }
            classes.append(
                RequestClass(
                    method: method, host: host, segments: segments, shape: shape, path: text,
                    hasEncodedSlashes: path.hasEncodedSlashes,
                    old: oldPlace, new: newPlace, oldRule: oldRule, newRule: newRule))
        }
    }

    /// The same request with other path segments. Nil if it would match other rules than the original.
    func variant(of request: RequestClass, _ segments: [[UInt8]]) -> RequestClass? {
        let text = request.shape.text(of: segments)
        var path = RequestPath()
        guard (try? path.canonicalize(Array(text.utf8).span, encodedSlashes: encodedSlashes)) != nil else { return nil }
        let host = request.host
        let oldPlace = old.location(host: host.name, port: host.port, path)
        let newPlace = new.location(host: host.name, port: host.port, path)
        let variant = RequestClass(
            method: request.method, host: host, segments: segments, shape: request.shape, path: text,
            hasEncodedSlashes: path.hasEncodedSlashes,
            old: oldPlace, new: newPlace,
            oldRule: oldPlace?.rule(for: request.method, path), newRule: newPlace?.rule(for: request.method, path))
        let isAlike =
            variant.old?.place == request.old?.place && variant.new?.place == request.new?.place
            && variant.oldRule?.rule == request.oldRule?.rule && variant.newRule?.rule == request.newRule?.rule
        return isAlike ? variant : nil
    }
}

import ConfigurationFile
import StrictJSON
import TokenVerification

/// Tree of the claims that a search looks for, nested as in the claims set.
struct ClaimTree {
    private var own: ClaimCell?
    private var members: [[UInt8]: ClaimTree] = [:]

    /// Name of the level that stands for every element of an array.
    static let everyElement = Array("*".utf8)

    init(_ cells: [ClaimLocation: ClaimCell]) {
        for (location, cell) in cells { insert(cell, at: location.names[...]) }
    }

    private init() {}

    private mutating func insert(_ cell: ClaimCell, at names: ArraySlice<[UInt8]>) {
        guard let name = names.first else { return own = cell }
        members[name, default: ClaimTree()].insert(cell, at: names.dropFirst())
    }

    /// Solves all claims and returns the members of the claims set. Nil if no claims meet all tests.
    ///
    /// - Parameter giveUp: called if claims may meet all tests, but were not found.
    func solvedMembers(_ solve: (ClaimCell) -> ClaimSolution, giveUp: () -> Void) -> [StatedMember]? {
        var solved: [StatedMember] = []
        for (name, member) in members.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            switch member.solution(solve, giveUp: giveUp) {
            case .impossible, .undecided: return nil
            case .missing: continue
            case .value(let value): solved.append(StatedMember(String(decoding: name, as: UTF8.self), value.stated))
            }
        }
        return solved
    }

    private func solution(_ solve: (ClaimCell) -> ClaimSolution, giveUp: () -> Void) -> ClaimSolution {
        guard !members.isEmpty else { return own.map(solve) ?? .missing }
        if isMet(by: nil), members.values.allSatisfy(\.isMetByNothing) { return .missing }
        if let elements = members[Self.everyElement] {
            let solution = solvedArray(elements, solve)
            if case .undecided = solution { giveUp() }
            return solution
        }
        if let inner = solvedMembers(solve, giveUp: giveUp), let object = ClaimValue(.object(inner)), isMet(by: object)
        {
            return .value(object)
        }
        // A value without members hides the claims within, so tests cannot find them absent either.
        guard let own, members.values.allSatisfy(\.isMetBehindValue) else { return .impossible }
        let solution = solve(own)
        if case .value(let value) = solution, value.json.kind != .object { return solution }
        return .impossible
    }

    // MARK: Claims of array elements

    /// Claim of each element of an array: the names below the element, and its tests.
    private typealias ElementClaim = (names: [[UInt8]], cell: ClaimCell)

    /// An array whose elements have the claims below `*`.
    private func solvedArray(_ elements: ClaimTree, _ solve: (ClaimCell) -> ClaimSolution) -> ClaimSolution {
        let claims = elements.cells(below: [])
        var lists: [[StatedValue]] = []
        for claim in claims {
            switch solve(claim.cell) {
            // Then no array has elements with this claim, whatever the others are.
            case .impossible: return .impossible
            case .undecided: return .undecided
            case .missing: lists.append([])
            case .value(let value):
                if case .array(let list) = value.stated { lists.append(list) } else { lists.append([value.stated]) }
            }
        }
        let stated = (0..<(lists.map(\.count).max() ?? 0)).map { Self.element($0, claims, lists) }
        guard let array = ClaimValue(.array(stated)), isMet(by: array), Self.holds(claims, for: array) else {
            return .undecided
        }
        return .value(array)
    }

    private func cells(below names: [[UInt8]]) -> [ElementClaim] {
        let inner = members.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return (own.map { [(names, $0)] } ?? []) + inner.flatMap { $0.value.cells(below: names + [$0.key]) }
    }

    /// The element with this number. A shorter list repeats its last claim.
    private static func element(_ number: Int, _ claims: [ElementClaim], _ lists: [[StatedValue]]) -> StatedValue {
        var element = StatedObject()
        for (claim, list) in zip(claims, lists) where !list.isEmpty {
            let value = list[min(number, list.count - 1)]
            if claim.names.isEmpty { return value }
            element.add(claim.names.map { String(decoding: $0, as: UTF8.self) }, value)
        }
        return .object(element.members)
    }

    /// True if all tests of the claims hold for the elements of an array, judged as for a token.
    private static func holds(_ claims: [ElementClaim], for array: ClaimValue) -> Bool {
        let text = StatedValue.object([StatedMember("array", array.stated)]).json
        guard let set = try? ClaimsSet(parsing: text.span) else { return false }
        return claims.allSatisfy { claim in
            let names = claim.names.map { String(decoding: $0, as: UTF8.self) }
            let levels = (["array", "*"] + names).map { $0.replacing("~", with: "~0").replacing("/", with: "~1") }
            let pointer = levels.map { "/" + $0 }.joined()
            guard let path = try? ClaimPath(pointer, permitsElements: true) else { return false }
            return claim.cell.literals.allSatisfy {
                TokenTest.claim(path, $0.test, holds: $0.holds).holds(for: set)
            }
        }
    }

    private func isMet(by value: ClaimValue?) -> Bool { own?.isMet(by: value) ?? true }

    private var isMetByNothing: Bool { isMet(by: nil) && members.values.allSatisfy(\.isMetByNothing) }

    private var isMetBehindValue: Bool {
        let own = own?.literals.allSatisfy { literal in
            literal.test == .missing ? !literal.holds : literal.isMet(by: nil)
        }
        return (own ?? true) && members.values.allSatisfy(\.isMetBehindValue)
    }
}

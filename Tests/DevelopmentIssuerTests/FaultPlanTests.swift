import Testing

@testable import DevelopmentIssuer

struct FaultPlanTests {
    @Test func `the faulty answers are counted per document`() {
        var plan = FaultPlan()
        let fault = IssuerFault(status: 500, answers: 1)
        plan.set(fault)
        let answers = [plan.next(for: .jwks), plan.next(for: .jwks)]
        #expect(answers == [fault, nil])
        #expect(plan.documents == [.discovery])
        let other = plan.next(for: .discovery)
        #expect(other == fault)
        #expect(plan.documents == [])
    }

    @Test func `a later fault replaces an earlier one`() {
        var plan = FaultPlan()
        plan.set(IssuerFault(status: 500))
        plan.set(IssuerFault(of: [.jwks], status: 404))
        let statuses = [plan.next(for: .jwks)?.status, plan.next(for: .discovery)?.status]
        #expect(statuses == [404, 500])
    }

    @Test func `a flapping key set lacks one key after another, then none`() {
        var plan = FaultPlan()
        let missing = (0..<5).map { _ in plan.missingKey(of: 2) }
        #expect(missing == [0, 1, nil, 0, 1])
        let none = plan.missingKey(of: 0)
        #expect(none == nil)
    }

    @Test func `explicit fault parameters override those of the named fault`() throws {
        let form = try #require(FormParameters("name=slow&delay=3s&document=jwks&count=2"))
        let wish = try FaultForm(form).wish()
        #expect(wish == .set(IssuerFault(of: [.jwks], delay: .seconds(3), answers: 2)))
        let plain = try #require(FormParameters("name=slow"))
        let ten = try FaultForm(plain).wish()
        #expect(ten == .set(IssuerFault(delay: .seconds(10))))
    }

    @Test func `a delay is limited to two minutes`() {
        #expect(IssuerFault(delay: .seconds(120)).delay == .seconds(120))
        #expect(IssuerFault(delay: .seconds(121)).delay == .seconds(120))
    }
}

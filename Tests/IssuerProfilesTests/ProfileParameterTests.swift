import IssuerProfiles
import Testing

/// Problems with parameters, and their wording.
@Suite struct ProfileParameterTests {
    @Test(arguments: IssuerProfile.allCases)
    func `the smallest set of parameters suffices, and consists of the required ones`(
        _ profile: IssuerProfile
    ) {
        let outcome = TestIssuers.outcome(profile)
        #expect(outcome.problems == [])
        #expect(outcome.issuer != nil)
        #expect(Set(profile.parameters.filter(\.isRequired).map(\.name)) == Set(TestIssuers.least(profile).keys))
    }

    @Test(arguments: IssuerProfile.allCases)
    func `a missing required parameter results in no issuer, without an extra problem`(
        _ profile: IssuerProfile
    ) {
        for name in TestIssuers.least(profile).keys {
            let outcome = TestIssuers.outcome(profile, without: name)
            #expect(outcome.issuer == nil, "\(name)")
            #expect(outcome.problems == [], "\(name)")
        }
    }

    @Test(arguments: IssuerProfile.allCases) func `the parameters of a profile have unique names and an example each`(
        _ profile: IssuerProfile
    ) {
        let parameters = profile.parameters
        #expect(Set(parameters.map(\.name)).count == parameters.count)
        #expect(parameters.allSatisfy { !$0.example.isEmpty })
        let general = [
            "jwks_uri", "jwks_file", "keys", "leeway", "max_lifetime", "allow_missing_kid", "denied_keys", "ca_file",
            "plain_http", "opaque",
        ]
        #expect(parameters.allSatisfy { !general.contains($0.name) })
    }

    @Test(arguments: IssuerProfile.allCases)
    func `an empty text, a text with a space, and an empty list are refused as parameter values`(
        _ profile: IssuerProfile
    ) {
        for parameter in profile.parameters where parameter.form == .text || parameter.form == .texts {
            #expect(TestIssuers.outcome(profile, [parameter.name: .text("")]).issuer == nil, "\(parameter.name)")
            #expect(TestIssuers.outcome(profile, [parameter.name: .text("a b")]).issuer == nil, "\(parameter.name)")
        }
        for parameter in profile.parameters where parameter.form == .texts {
            let outcome = TestIssuers.outcome(profile, [parameter.name: .texts([])])
            #expect(outcome.problems.first?.message == "is an empty list", "\(parameter.name)")
        }
    }

    @Test(arguments: IssuerProfile.allCases) func `a parameter value of the wrong type is refused`(
        _ profile: IssuerProfile
    ) {
        for parameter in profile.parameters {
            let wrong: ParameterValue =
                parameter.form == .boolean || parameter.form == .duration ? .text("true") : .boolean(true)
            let outcome = TestIssuers.outcome(profile, [parameter.name: wrong])
            #expect(outcome.issuer == nil, "\(parameter.name)")
            #expect(outcome.problems.first?.parameter == parameter.name)
            #expect(outcome.problems.first?.message.hasPrefix("must be ") == true, "\(parameter.name)")
        }
    }

    @Test func `unknown parameters are ignored`() {
        #expect(TestIssuers.outcome(.logto, ["colour": .text("red")]) == TestIssuers.outcome(.logto))
    }

    @Test(arguments: Slip.all) func `a mistake in a parameter is reported with what to write instead`(_ slip: Slip) {
        let outcome = TestIssuers.outcome(slip.profile, slip.changes)
        #expect(outcome.problems == [slip.problem])
        #expect((outcome.issuer == nil) == (slip.problem.severity == .error))
    }

    @Test func `several mistakes in parameters are all reported`() {
        let outcome = TestIssuers.outcome(
            .azureB2C, ["tenant_name": .text("a.b"), "tenant_id": .text("x"), "issuer_style": .text("y")])
        #expect(outcome.problems.map(\.parameter) == ["tenant_name", "tenant_id", "issuer_style"])
    }
}

/// Parameters with one mistake, and the expected problem.
struct Slip: Sendable, CustomTestStringConvertible {
    let profile: IssuerProfile
    let changes: [String: ParameterValue]
    let problem: ProfileProblem

    var testDescription: String { "\(profile.rawValue): \(problem.parameter ?? "") \(problem.message)" }

    init(_ profile: IssuerProfile, _ changes: [String: ParameterValue], _ problem: ProfileProblem) {
        self.profile = profile
        self.changes = changes
        self.problem = problem
    }
}

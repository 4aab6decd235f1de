import IssuerProfiles
import JOSE
import KeySets
import Testing
import TokenVerification

/// Load balancers that sign, and where their keys are.
@Suite struct AWSALBProfileTests {
    private static func arn(
        _ partition: String = "aws", service: String = "elasticloadbalancing", region: String = "eu-north-1",
        account: String = "441100223344", resource: String = "loadbalancer/app/shop/50dc6c495c0c9188"
    ) -> String {
        "arn:\(partition):\(service):\(region):\(account):\(resource)"
    }

    private static func problem(_ signers: [String]) -> ProfileProblem? {
        TestIssuers.outcome(.awsALB, ["signer": .texts(signers)]).problems.first
    }

    @Test(arguments: [
        (arn(), "https://public-keys.auth.elb.eu-north-1.amazonaws.com"),
        (arn(region: "us-east-1"), "https://public-keys.auth.elb.us-east-1.amazonaws.com"),
        (
            arn("aws-us-gov", region: "us-gov-west-1"),
            "https://s3-us-gov-west-1.amazonaws.com/aws-elb-public-keys-prod-us-gov-west-1"
        ),
        (
            arn("aws-us-gov", region: "us-gov-east-1"),
            "https://s3-us-gov-east-1.amazonaws.com/aws-elb-public-keys-prod-us-gov-east-1"
        ),
    ])
    func `the keys' place follows from the region of signer`(signer: String, place: String) throws {
        let outcome = TestIssuers.outcome(.awsALB, ["signer": .text(signer)])
        #expect(outcome.problems == [])
        #expect(outcome.issuer?.keySets.first?.configuration.source == .singleKeys(below: place))
        #expect(outcome.issuer?.trusted.signerRule?.signers == [signer])
    }

    @Test func `keys_url replaces the place, and is needed where AWS's is not known`() {
        let china = Self.arn("aws-cn", region: "cn-north-1")
        #expect(
            Self.problem([china])
                == ProfileProblem(
                    .error, "signer", "the URL of the keys must be named for the partition `aws-cn`",
                    hint: "write `keys_url: https://…`, the URL below which each key is found by its `kid`"))
        let url = "https://keys.example/alb"
        let outcome = TestIssuers.outcome(.awsALB, ["signer": .text(china), "keys_url": .text(url)])
        #expect(outcome.problems == [])
        #expect(outcome.issuer?.keySets.first?.configuration.source == .singleKeys(below: url))
    }

    @Test(arguments: [
        (arn(resource: "loadbalancer/app/*/50dc6c495c0c9188"), "has a wildcard, and each ARN stands for itself"),
        (arn(account: "?"), "has a wildcard, and each ARN stands for itself"),
        ("*", "has a wildcard, and each ARN stands for itself"),
        ("shop-1234.eu-north-1.elb.amazonaws.com", "is not the ARN of a load balancer"),
        (arn(region: ""), "is not the ARN of a load balancer"), (arn(""), "is not the ARN of a load balancer"),
        (arn("gcp"), "is not the ARN of a load balancer"),
        (arn(region: "eu/north"), "is not the ARN of a load balancer"),
        (arn(region: "EU-NORTH-1"), "is not the ARN of a load balancer"),
        (arn(region: "eu-north-1.evil.example"), "is not the ARN of a load balancer"),
        (arn() + ":x", "is not the ARN of a load balancer"),
        ("ARN" + arn().dropFirst(3), "is not the ARN of a load balancer"),
        (arn(service: "cognito-idp"), "is an ARN of the service `cognito-idp`"),
        (arn(account: "44110022334"), "has the account `44110022334`, which is not 12 digits"),
        (arn(account: "4411-0022-33"), "has the account `4411-0022-33`, which is not 12 digits"),
        (
            arn(resource: "loadbalancer/net/shop/50dc6c495c0c9188"),
            "names `loadbalancer/net/shop/50dc6c495c0c9188`, and only `loadbalancer/app/NAME/ID` signs tokens"
        ),
        (
            arn(resource: "listener/app/shop/50dc6c495c0c9188/f2f7dc8efc522ab2"),
            "names `listener/app/shop/50dc6c495c0c9188/f2f7dc8efc522ab2`, and only `loadbalancer/app/NAME/ID` signs tokens"
        ),
        (
            arn(resource: "loadbalancer/app/shop/"),
            "names `loadbalancer/app/shop/`, and only `loadbalancer/app/NAME/ID` signs tokens"
        ),
        (
            arn(resource: "loadbalancer/app/sh%6fp/1"),
            "names `loadbalancer/app/sh%6fp/1`, and only `loadbalancer/app/NAME/ID` signs tokens"
        ),
    ])
    func `a signer that is no load balancer's ARN is refused`(signer: String, told: String) {
        #expect(Self.problem([TestIssuers.balancer, signer])?.message == "`\(signer)` \(told)")
        #expect(Self.problem([signer])?.index == 0)
    }

    @Test func `load balancers of two regions need an issuer each`() {
        #expect(Self.problem([Self.arn(), Self.arn(resource: "loadbalancer/app/other/1")]) == nil)
        #expect(
            Self.problem([Self.arn(), Self.arn(region: "us-east-1")])
                == ProfileProblem(
                    .error, "signer", index: 1,
                    "names load balancers of two regions, `eu-north-1` and `us-east-1`, whose keys differ",
                    hint: "write an issuer for each region, for resources of its own"))
    }

    @Test func `signer and issuer are required`() {
        #expect(TestIssuers.outcome(.awsALB, without: "signer").issuer == nil)
        #expect(TestIssuers.outcome(.awsALB, without: "issuer").issuer == nil)
    }

    @Test func `only this profile's tokens may have padding, and name a signer`() throws {
        for profile in IssuerProfile.allCases {
            let issuer = try TestIssuers.trusted(profile)
            #expect((issuer.padding == .accepted) == (profile == .awsALB))
            #expect((issuer.signerRule != nil) == (profile == .awsALB))
            #expect((issuer.audience == .signer) == (profile == .awsALB))
        }
    }
}

import NetworkNames

/// ARN of an Application Load Balancer:
/// `arn:PARTITION:elasticloadbalancing:REGION:ACCOUNT:loadbalancer/app/NAME/ID`.
struct LoadBalancerARN: Sendable, Hashable {
    let text: String
    let partition: String
    let region: String

    /// Reason why a text is not such an ARN, with advice.
    enum Fault: Error, Sendable, Hashable {
        case wildcard
        case notARN
        /// The ARN names a resource of this other service.
        case otherService(String)
        case account(String)
        /// The ARN names something else of the service, such as a listener.
        case notApplicationLoadBalancer(String)
    }

    init(_ text: String) throws(Fault) {
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }) else {
            throw .wildcard
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[0] == "arn", Self.isName(parts[1]), parts[1].hasPrefix("aws") else {
            throw .notARN
        }
        guard parts[2] == "elasticloadbalancing" else { throw .otherService(parts[2]) }
        guard Self.isName(parts[3]) else { throw .notARN }
        guard parts[4].utf8.count == 12, parts[4].utf8.allSatisfy({ ASCII.isDigit($0) }) else {
            throw .account(parts[4])
        }
        let resource = parts[5].split(separator: "/", omittingEmptySubsequences: false)
        guard resource.count == 4, resource[0] == "loadbalancer", resource[1] == "app",
            Self.isWord(resource[2]), Self.isWord(resource[3])
        else { throw .notApplicationLoadBalancer(parts[5]) }
        (self.text, partition, region) = (text, parts[1], parts[3])
    }

    /// URL below which AWS publishes the keys of the region's load balancers. Nil for a partition whose URL is not
    /// documented.
    var keys: String? {
        switch partition {
        case "aws": "https://public-keys.auth.elb.\(region).amazonaws.com"
        case "aws-us-gov": "https://s3-\(region).amazonaws.com/aws-elb-public-keys-prod-\(region)"
        default: nil
        }
    }

    /// True for the name of a partition or region: lower-case letters, digits and hyphens between them.
    private static func isName(_ text: String) -> Bool {
        !text.hasPrefix("-") && !text.hasSuffix("-") && !text.isEmpty
            && text.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) && $0 | 0x20 == $0 || $0 == hyphen }
    }

    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) || $0 == hyphen }
    }

    private static let hyphen = UInt8(ascii: "-")
}

extension LoadBalancerARN.Fault {
    /// Description of the fault, to follow the text.
    var message: String {
        switch self {
        case .wildcard: "has a wildcard, and each ARN stands for itself"
        case .notARN: "is not the ARN of a load balancer"
        case .otherService(let service): "is an ARN of the service `\(service)`"
        case .account(let account): "has the account `\(account)`, which is not 12 digits"
        case .notApplicationLoadBalancer(let resource):
            "names `\(resource)`, and only `loadbalancer/app/NAME/ID` signs tokens"
        }
    }
}

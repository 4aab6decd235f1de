import AccessControl
import RequestAuthorization

/// A rule of one configuration. The rule is nil if none matches; the resource is nil too if the request matches none.
struct RuleKey: Hashable {
    let resource: ResourceIndex?
    let rule: RuleIndex?
}

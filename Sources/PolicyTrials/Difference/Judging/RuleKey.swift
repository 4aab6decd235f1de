import AccessControl
import RequestAuthorization

/// A rule of one configuration, or what there is without one.
struct RuleKey: Hashable {
    let resource: ResourceIndex?
    let rule: RuleIndex?
}

import IssuerProfiles

extension Slip {
    static let all: [Slip] = entraExternal + entraID + azureB2C + firebase + logto + others

    private static let idHint = "use the directory (tenant) id, the GUID on the tenant's overview page"
    private static let clientHint = "write application (client) ids, GUIDs"
    private static let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

    private static let entraExternal: [Slip] = [
        Slip(
            .entraExternal, ["tenant_id": .text("kaasik.onmicrosoft.com")],
            ProfileProblem(.error, "tenant_id", "`kaasik.onmicrosoft.com` is a domain name", hint: idHint)),
        Slip(
            .entraExternal, ["tenant_id": .text("5f3c1b7e")],
            ProfileProblem(.error, "tenant_id", "`5f3c1b7e` is not a GUID", hint: idHint)),
        Slip(
            .entraExternal, ["tenant_name": .text("nordlicht.onmicrosoft.com")],
            ProfileProblem(
                .error, "tenant_name", "`nordlicht.onmicrosoft.com` has a dot",
                hint: "write the first part only: `nordlicht`")),
        Slip(
            .entraExternal, ["custom_domain": .text("https://login.example")],
            ProfileProblem(
                .error, "custom_domain", "`https://login.example` is a URL",
                hint: "write the domain only: `login.example`")),
        Slip(
            .entraExternal, ["clients": .texts(["b81f6e02-1c9d-4a55-b3e7-d64920f7c183", "ios"])],
            ProfileProblem(.error, "clients", index: 1, "`ios` is not a GUID", hint: clientHint)),
        Slip(
            .entraExternal,
            ["clients": .texts(["b81f6e02-1c9d-4a55-b3e7-d64920f7c183", "B81F6E02-1C9D-4A55-B3E7-D64920F7C183"])],
            ProfileProblem(
                .error, "clients", index: 1, "has `b81f6e02-1c9d-4a55-b3e7-d64920f7c183` twice", hint: "write it once")),
        Slip(
            .entraExternal, ["extra_issuers": .text("login.example")],
            ProfileProblem(
                .error, "extra_issuers", index: 0, "`login.example` is not a URL",
                hint: "write `https://host/path`, without a fragment")),
    ]

    private static let entraID: [Slip] = [
        Slip(
            .entraID, ["tenant": .text("kaasik.example")],
            ProfileProblem(.error, "tenant", "`kaasik.example` is a domain name", hint: idHint + ", or `organizations`")
        ),
        Slip(
            .entraID, ["tenant": .text("common")],
            ProfileProblem(
                .error, "tenant", "`common` stands for every tenant in the world",
                hint: "add `allowed_tenants`, or `any_tenant: true`")),
        Slip(
            .entraID, ["tenant": .text("organizations"), "any_tenant": .boolean(false)],
            ProfileProblem(
                .error, "tenant", "`organizations` stands for every tenant in the world",
                hint: "add `allowed_tenants`, or `any_tenant: true`")),
        Slip(
            .entraID, ["allowed_tenants": .text(TestIssuers.other)],
            ProfileProblem(
                .error, "allowed_tenants", "cannot be used with a single tenant",
                hint: "leave it out, or write `tenant: organizations`")),
        Slip(
            .entraID, ["tenant": .text("consumers"), "any_tenant": .boolean(true)],
            ProfileProblem(
                .error, "any_tenant", "cannot be used with a single tenant",
                hint: "leave it out, or write `tenant: organizations`")),
        Slip(
            .entraID, ["tenant": .text("organizations"), "any_tenant": .boolean(true)],
            ProfileProblem(
                .warning, "any_tenant", "accepts users of every tenant in the world",
                hint: "name the tenants in `allowed_tenants`")),
        Slip(
            .entraID,
            [
                "tenant": .text("organizations"), "any_tenant": .boolean(true),
                "allowed_tenants": .text(TestIssuers.other),
            ],
            ProfileProblem(.error, "any_tenant", "contradicts `allowed_tenants`", hint: "keep one of the two")),
        Slip(
            .entraID, ["tenant": .text("organizations"), "allowed_tenants": .texts([TestIssuers.other, consumers])],
            ProfileProblem(
                .warning, "allowed_tenants", index: 1,
                "is the tenant of personal accounts, whose keys `organizations` lacks",
                hint: "write `tenant: common`")),
        Slip(
            .entraID, ["tenant": .text("organizations"), "allowed_tenants": .text("kaasik.example")],
            ProfileProblem(.error, "allowed_tenants", index: 0, "`kaasik.example` is a domain name", hint: idHint)),
        Slip(
            .entraID, ["versions": .texts(["2", "2.0"])],
            ProfileProblem(
                .error, "versions", index: 1, "`2.0` is not a version", hint: "write `[2]`, `[1]` or `[1, 2]`")),
        Slip(
            .entraID, ["cloud": .text("germany")],
            ProfileProblem(.error, "cloud", "cannot be `germany`", hint: "write `public` or `us-government` or `china`")
        ),
    ]

    private static let azureB2C: [Slip] = [
        Slip(
            .azureB2C, ["tenant_name": .text("rotkiefer.onmicrosoft.com")],
            ProfileProblem(
                .error, "tenant_name", "`rotkiefer.onmicrosoft.com` has a dot",
                hint: "write the first part only: `rotkiefer`")),
        Slip(
            .azureB2C, ["policies": .texts([])],
            ProfileProblem(.error, "policies", "is an empty list", hint: "write at least one, or leave it out")),
        Slip(
            .azureB2C, ["policies": .texts(["B2C_1_susi", "b2c_1_SUSI"])],
            ProfileProblem(.error, "policies", index: 1, "has `b2c_1_susi` twice", hint: "write it once")),
        Slip(
            .azureB2C, ["policies": .texts(["B2C_1_susi/v2.0"])],
            ProfileProblem(
                .error, "policies", index: 0, "`B2C_1_susi/v2.0` cannot be right",
                hint: "write the name of a user flow, such as `B2C_1_susi`")),
        Slip(
            .azureB2C, ["domains": .texts(["rotkiefer.b2clogin.com", "https://login.kiefer.example/"])],
            ProfileProblem(
                .error, "domains", index: 1, "`https://login.kiefer.example/` is a URL",
                hint: "write the domain only: `login.kiefer.example`")),
        Slip(
            .azureB2C, ["extra_issuers": .text("https://login.kiefer.example/x/v2.0")],
            ProfileProblem(
                .error, "extra_issuers", index: 0, "`https://login.kiefer.example/x/v2.0` does not end with `/`",
                hint: "write `iss` as the tokens have it")),
        Slip(
            .azureB2C, ["issuer_style": .text("TFP")],
            ProfileProblem(.error, "issuer_style", "cannot be `TFP`", hint: "write `default` or `tfp`")),
    ]

    private static let firebase: [Slip] = [
        Slip(
            .firebase, ["project_id": .text("448211907365")],
            ProfileProblem(
                .error, "project_id", "`448211907365` is all digits: that is the project number",
                hint: "write the project id of the project settings, such as `kestrel-demo-4411`")),
        Slip(
            .firebase, ["tenants": .texts(["none", "acme"])],
            ProfileProblem(
                .error, "tenants", "has `none` beside others", hint: "write `none`, `any` or a list of tenant ids")),
        Slip(
            .firebase, ["sign_in_providers": .texts(["password", "anonymous"])],
            ProfileProblem(
                .error, "sign_in_providers", index: 1, "`anonymous` is refused all the same",
                hint: "write `allow_anonymous: true` too")),
        Slip(
            .firebase, ["max_auth_age": .duration(.zero)],
            ProfileProblem(.error, "max_auth_age", "must be longer than zero", hint: "leave it out for no bound")),
        Slip(
            .firebase, ["scope_claims": .texts(["roles", "a..b"])],
            ProfileProblem(
                .error, "scope_claims", index: 1, "`a..b` is no place of a claim",
                hint: "write a claim's name, or a JSON Pointer")),
        Slip(
            .firebase, ["sign_in_providers": .texts(["password", "phone", "password"])],
            ProfileProblem(.error, "sign_in_providers", index: 2, "has `password` twice", hint: "write it once")),
    ]

    private static let logto: [Slip] = [
        Slip(
            .logto, ["endpoint": .text("https://auth.example/oidc")],
            ProfileProblem(
                .error, "endpoint", "`https://auth.example/oidc` has `/oidc`",
                hint: "write it without `/oidc`: `https://auth.example`")),
        Slip(
            .logto, ["endpoint": .text("https://auth.example/")],
            ProfileProblem(
                .error, "endpoint", "`https://auth.example/` ends with a slash",
                hint: "write it without the slash: `https://auth.example`")
        ),
        Slip(
            .logto, ["endpoint": .text("https://auth.example/logto")],
            ProfileProblem(
                .error, "endpoint", "`https://auth.example/logto` has a path",
                hint: "write the endpoint only: `https://auth.example`")),
        Slip(
            .logto, ["endpoint": .text("https://auth.example?x=1")],
            ProfileProblem(
                .error, "endpoint", "`https://auth.example?x=1` has a query",
                hint: "write it without `?` and what follows")),
        Slip(
            .logto, ["endpoint": .text("auth.example")],
            ProfileProblem(
                .error, "endpoint", "`auth.example` is not a URL", hint: "write `https://host/path`, without a fragment"
            )),
        Slip(
            .logto, ["endpoint": .text("https://Auth.Example")],
            ProfileProblem(
                .error, "endpoint", "`https://Auth.Example` has upper-case letters in its host",
                hint: "write the host in lower case")),
        Slip(
            .logto, ["extra_issuers": .text("https://h7k2qd.logto.app")],
            ProfileProblem(
                .error, "extra_issuers", index: 0, "`https://h7k2qd.logto.app` does not end with `/oidc`",
                hint: "write `iss` as the tokens have it")),
        Slip(
            .logto, ["organization": .text("required")],
            ProfileProblem(.error, "organization", "cannot be `required`", hint: "write `optional`")),
    ]

    private static let others: [Slip] = [
        Slip(
            .auth0, ["domain": .text("https://kestrel.eu.auth0.com/")],
            ProfileProblem(
                .error, "domain", "`https://kestrel.eu.auth0.com/` is a URL",
                hint: "write the domain only: `kestrel.eu.auth0.com`")),
        Slip(
            .auth0, ["domain": .text("kestrel.eu.auth0.com/")],
            ProfileProblem(
                .error, "domain", "`kestrel.eu.auth0.com/` is not a domain name",
                hint: "write the domain only, without a path")),
        Slip(
            .auth0, ["extra_issuers": .text("https://login.example")],
            ProfileProblem(
                .error, "extra_issuers", index: 0, "`https://login.example` does not end with `/`",
                hint: "write `iss` as the tokens have it")),
        Slip(
            .gitHubActions, ["owner_ids": .texts(["kaasik"])],
            ProfileProblem(.error, "owner_ids", index: 0, "`kaasik` is not a number", hint: "write names into `owners`")
        ),
        Slip(
            .gitHubActions, ["repositories": .texts(["kaasik/shop", "shop"])],
            ProfileProblem(
                .error, "repositories", index: 1, "`shop` is not `owner/name`",
                hint: "write it as `repository` in the token has it")),
        Slip(
            .gitLabCI, ["url": .text("https://gitlab.example/")],
            ProfileProblem(
                .error, "url", "`https://gitlab.example/` ends with a slash", hint: "write `https://gitlab.example`")),
        Slip(
            .gitLabCI, ["projects": .texts(["shop"])],
            ProfileProblem(
                .error, "projects", index: 0, "`shop` has no namespace",
                hint: "write it as `project_path` in the token has it")),
        Slip(
            .kubernetes, ["api_server": .text("https://10.96.0.1/api")],
            ProfileProblem(
                .error, "api_server", "`https://10.96.0.1/api` has a path", hint: "write scheme, host and port alone")),
        Slip(
            .gitHubActions, ["owners": .texts(["kaasik", "*"])],
            ProfileProblem(
                .error, "owners", index: 1, "`*` has a `*`, and each name stands for itself",
                hint:
                    "write whole names here; patterns are for rules and `require`, such as {claims: {repository_owner: {glob: \"acme/*\"}}}"
            )),
        Slip(
            .gitLabCI, ["projects": .texts(["kaasik/*"])],
            ProfileProblem(
                .error, "projects", index: 0, "`kaasik/*` has a `*`, and each name stands for itself",
                hint:
                    "write whole names here; patterns are for rules and `require`, such as {claims: {project_path: {glob: \"acme/*\"}}}"
            )),
        Slip(
            .spiffe, ["trust_domain": .text("spiffe://kaasik.example")],
            ProfileProblem(
                .error, "trust_domain", "`spiffe://kaasik.example` is not a trust domain",
                hint:
                    "write what stands between `spiffe://` and the next slash: lower-case letters, digits, `.`, `-` and `_`"
            )),
        Slip(
            .spiffe, ["workloads": .texts(["spiffe://kaasik.example/a", "spiffe://fremd.example/a"])],
            ProfileProblem(
                .error, "workloads", index: 1, "`spiffe://fremd.example/a` is not a SPIFFE ID of `kaasik.example`",
                hint: "write it as `sub` has it, such as `spiffe://kaasik.example/checkout`")),
        Slip(
            .kubernetes, ["service_accounts": .texts(["orders"])],
            ProfileProblem(
                .error, "service_accounts", index: 0, "`orders` is not `namespace:name`",
                hint: "write both, such as `shop:orders`")),
        Slip(
            .okta, ["issuer": .text("https://kestrel.okta.com")],
            ProfileProblem(
                .error, "issuer", "`https://kestrel.okta.com` is not a custom authorization server's",
                hint: "write the issuer of a custom one, such as `https://kestrel.okta.com/oauth2/default`")),
        Slip(
            .okta, ["issuer": .text("https://kestrel.okta.com/oauth2/default/")],
            ProfileProblem(
                .error, "issuer", "`https://kestrel.okta.com/oauth2/default/` has more segments after the server's id",
                hint: "write the issuer of a custom one, such as `https://kestrel.okta.com/oauth2/default`")),
        Slip(
            .keycloak, ["realm_url": .text("https://id.example/")],
            ProfileProblem(
                .error, "realm_url", "`https://id.example/` names no realm",
                hint: "write `https://id.example/realms/<realm>`")),
        Slip(
            .keycloak, ["realm_url": .text("https://id.example/realms/shop/")],
            ProfileProblem(
                .error, "realm_url", "`https://id.example/realms/shop/` ends with a slash",
                hint: "write `https://id.example/realms/shop`")),
        Slip(
            .keycloak, ["realm_url": .text("https://id.example/realms/shop/account")],
            ProfileProblem(
                .error, "realm_url", "`https://id.example/realms/shop/account` is not the realm itself",
                hint: "write `https://id.example/realms/<realm>`")),
        Slip(
            .cognito, ["user_pool_id": .text("arn:aws:cognito-idp:eu-north-1:1:userpool/eu-north-1_Ab12Cd34E")],
            ProfileProblem(
                .error, "user_pool_id",
                "`arn:aws:cognito-idp:eu-north-1:1:userpool/eu-north-1_Ab12Cd34E` is not a user pool id",
                hint:
                    "write the id as the console shows it, such as `eu-north-1_Ab12Cd34E`, not its ARN or its name"
            )),
        Slip(
            .zitadel, ["domain": .text("https://kestrel.zitadel.cloud")],
            ProfileProblem(
                .error, "domain", "`https://kestrel.zitadel.cloud` is a URL",
                hint: "write the domain only: `kestrel.zitadel.cloud`")),
        Slip(
            .cloudflareAccess, ["team_domain": .text("https://kaasik.cloudflareaccess.com")],
            ProfileProblem(
                .error, "team_domain", "`https://kaasik.cloudflareaccess.com` is a URL",
                hint: "write the domain only: `kaasik.cloudflareaccess.com`")),
        Slip(
            .firebaseAppCheck, ["project_number": .text("kestrel-demo-4411")],
            ProfileProblem(
                .error, "project_number", "`kestrel-demo-4411` is not a number: that is the project id",
                hint: "write the project number of the project settings, such as `441100223344`")),
        Slip(
            .awsALB, ["keys_url": .text("https://keys.example/alb/")],
            ProfileProblem(
                .error, "keys_url", "`https://keys.example/alb/` ends with a slash",
                hint: "write `https://keys.example/alb`")),
        Slip(
            .awsALB,
            ["signer": .texts(["arn:aws:elasticloadbalancing:*:441100223344:loadbalancer/app/shop/50dc6c495c0c9188"])],
            ProfileProblem(
                .error, "signer", index: 0,
                "`arn:aws:elasticloadbalancing:*:441100223344:loadbalancer/app/shop/50dc6c495c0c9188` has a wildcard, and each ARN stands for itself",
                hint:
                    "copy the ARN of the load balancer, such as `arn:aws:elasticloadbalancing:REGION:ACCOUNT:loadbalancer/app/NAME/ID`"
            )),
        Slip(
            .clerk, ["frontend_api": .text("https://clerk.kaasik.example/")],
            ProfileProblem(
                .error, "frontend_api", "`https://clerk.kaasik.example/` has a path",
                hint: "write the origin only: `https://clerk.kaasik.example`")),
        Slip(
            .authentik, ["host": .text("https://ak.example/application/o/orders/")],
            ProfileProblem(
                .error, "host", "`https://ak.example/application/o/orders/` is a URL",
                hint: "write the domain only: `ak.example`")),
        Slip(
            .authentik, ["application_slug": .text("o/orders/")],
            ProfileProblem(
                .error, "application_slug", "`o/orders/` cannot be right",
                hint: "write the slug alone, the last part of the application's address")),
    ]
}

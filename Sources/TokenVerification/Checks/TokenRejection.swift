/// Reason why a token was rejected, one case per cause. Logs and metrics contain the raw values.
///
/// Cases may be added; none is ever renamed.
public enum TokenRejection: String, Error, Hashable, Sendable, CaseIterable {
    /// The token is not a compact JWS of three base64url parts, or its header or claims are not one JSON object.
    /// ``TokenFault`` describes the fault.
    case malformed
    /// The token has no dot, so it is opaque, and only its issuer could verify it.
    case opaqueNotSupported = "opaque_not_supported"
    /// `alg` is missing, `none`, symmetric, unknown, or not allowed by the issuer or the key.
    case algorithmNotAllowed = "alg_not_allowed"
    /// The header's `typ` is not that of this issuer's access tokens (RFC 9068 §2.1).
    case typeMismatch = "typ_mismatch"
    /// The header requires something that is never supported: `crit`, `b64`, `zip`, encryption, a nested token.
    case unsupportedHeader = "unsupported_header"
    /// No key of the issuer has this `kid`. Or the token has no `kid`, and no key is found without one.
    case unknownKeyID = "unknown_kid"
    /// The signature does not match the key and exactly these bytes.
    case badSignature = "bad_signature"
    /// The signature could not be checked, for example because memory ran out. This says nothing about the token.
    case verificationUnavailable = "verification_unavailable"
    /// `iss` is missing, or is no issuer that this resource trusts.
    case issuerMismatch = "issuer_mismatch"
    /// `aud` is missing, malformed, or names another resource.
    case audienceMismatch = "audience_mismatch"
    /// The claims mark another kind of token, for example an ID token.
    case notAccessToken = "not_access_token"
    /// The current time is `exp` plus the leeway, or later.
    case expired
    /// `nbf` or `iat` is further in the future than the leeway.
    case notYetValid = "not_yet_valid"
    /// `auth_time` is missing although the issuer's rules require it, or is in the future.
    case authTimeInvalid = "auth_time_invalid"
    /// The user authenticated longer ago than the issuer's rules permit.
    case authenticationTooOld = "authentication_too_old"
    /// The token's claims contradict each other, or the issuer, about the tenant.
    case tenantMismatch = "tenant_mismatch"
    /// The token comes from a tenant that is not accepted.
    case tenantNotAllowed = "tenant_not_allowed"
    /// The key belongs to another issuer of the same platform.
    case keyIssuerMismatch = "key_issuer_mismatch"
    /// The token comes from a user flow or sign-in method that is not accepted, or was signed with another flow's key.
    case policyNotAllowed = "policy_not_allowed"
    /// The token has a version that is not accepted.
    case versionNotAllowed = "version_not_allowed"
    /// The token was issued to a client that is not accepted.
    case clientNotAllowed = "client_not_allowed"
    /// A claim that the operator requires in every token of the issuer is missing, or has another value.
    case claimNotAllowed = "claim_not_allowed"
    /// The signer that the header names is not accepted, or the header names none.
    case signerNotAllowed = "signer_not_allowed"
    /// The token was made for another service of the platform, and only that service can verify it.
    case foreignResource = "foreign_resource"
    /// The issuer's introspection answer does not say that the token is active (RFC 7662 §2.2).
    case inactive
    /// An entry of the deny list names the token, its subject, session, client or key.
    case denied
    /// `sub` is not a valid identifier, or is missing although the issuer's rules require it.
    case subjectInvalid = "subject_invalid"
    /// The token is bound to a key of its holder (`cnf`), so it is not a bearer token (RFC 9449 §7.2, RFC 8705 §3).
    case boundToken = "bound_token"
    /// A registered claim is missing or of a wrong type, or the times contradict each other.
    case claimInvalid = "claim_invalid"

    /// The `error` of the challenge (RFC 6750 §3.1, RFC 9470 §3).
    public var bearerError: BearerError {
        self == .authenticationTooOld ? .insufficientUserAuthentication : .invalidToken
    }
}

extension TokenRejection {
    /// Cause of the rejection, and what to do about it.
    public var text: ReasonText {
        switch self {
        case .malformed:
            ReasonText(
                cause:
                    "The token is not a compact JWS: three base64url parts, with one valid JSON object each in header and payload. "
                    + "A `kid` or `typ` of the wrong form counts too. The `detail` names the first fault.",
                remedy: "Check that the app sends the whole access token, unchanged. "
                    + "If the issuer encrypts its tokens, have it issue signed ones.")
        case .opaqueNotSupported:
            ReasonText(
                cause: "The token has no dots, so it is opaque: only its issuer can read it. "
                    + "No issuer of the resource has `opaque.introspect`, or the token is longer than 4 KiB.",
                remedy: "Have the app request a JWT access token for this API. "
                    + "If the issuer supports introspection, configure `opaque.introspect`.")
        case .algorithmNotAllowed:
            ReasonText(
                cause:
                    "The token's `alg` is missing, `none`, symmetric, unknown, or not among the issuer's `algorithms`. "
                    + "Or the token's key is not for that algorithm.",
                remedy: "Have the issuer sign with an accepted asymmetric algorithm. "
                    + "If the issuer has no `profile`, add the algorithm of its keys to `algorithms`.")
        case .typeMismatch:
            ReasonText(
                cause:
                    "The header's `typ` is not `at+jwt`, which this issuer's access tokens must carry (`token_type: at+jwt`, or the "
                    + "profile). The token may be an ID token.",
                remedy: "Have the app send the access token, not the ID token. "
                    + "If the issuer writes another `typ`, change `token_type` (Auth0: `dialect`).")
        case .unsupportedHeader:
            ReasonText(
                cause:
                    "The header has a member that is never accepted: `crit`, `b64`, `zip` or `enc`. Or its `cty` marks a nested JWT.",
                remedy: "Have the issuer issue plain signed JWTs.")
        case .unknownKeyID:
            ReasonText(
                cause: "No key of the issuer has the token's `kid`, or `denied_keys` lists the key. "
                    + "Or the issuer has no such realm, where the file accepts realms by a pattern of names. "
                    + "Or the token has no `kid`, and `allow_missing_kid` is off, or no key fits, or more than four do. "
                    + "Or the issuer may not be asked about the `kid`, and the client or all clients have named too many such.",
                remedy: "Compare the token's `kid` with the issuer's key set and with `denied_keys`. "
                    + "Set `allow_missing_kid: true` only if the issuer writes no `kid`, in its tokens or in its keys.")
        case .badSignature:
            ReasonText(
                cause: "The signature does not match the key and the exact bytes of the token. "
                    + "The token was altered, forged, or signed with another key of the same `kid`.",
                remedy:
                    "Check that the app sends the token unchanged, and that the key set belongs to the issuer's environment. "
                    + "If many come from one address, investigate that client.")
        case .verificationUnavailable:
            ReasonText(
                cause:
                    "The cryptographic library failed, for example because memory ran out. The failure says nothing about the token.",
                remedy: "Look for this failure under `keys_unavailable`, which logs and metrics name instead. "
                    + "Check the memory of the process.")
        case .issuerMismatch:
            ReasonText(
                cause: "The token's `iss` is missing, or no issuer in the resource's `issuers` has exactly this value. "
                    + "Even a final slash makes a difference.",
                remedy: "Compare the token's `iss` with the configured `issuer`. "
                    + "Add a missing issuer to `issuers`, or another domain of the same issuer to `extra_issuers`.")
        case .audienceMismatch:
            ReasonText(
                cause:
                    "The token's `aud` is missing or malformed, or names none of the resource's `audiences` (by default its "
                    + "identifier). Without `aud`, the token's client must be in `without_audience.clients`, for an opaque token in "
                    + "`opaque.introspect.clients`.",
                remedy: "Have the app request a token for this API. "
                    + "If the issuer calls this API by another name, write that name into `audiences`. "
                    + "If its tokens never have `aud`, see `without_audience`.")
        case .notAccessToken:
            ReasonText(
                cause:
                    "By its claims or the introspection answer, this is not an access token, but for example an ID, refresh or logout "
                    + "token. `token_type` or the profile can name the claims that mark an access token.",
                remedy: "Have the app send the access token, not the ID token. "
                    + "For Entra tokens without a user, set `allow_app_only: true`.")
        case .expired:
            ReasonText(
                cause: "The current time is at or past the token's `exp` plus `leeway`. "
                    + "Open streams end with this reason too, unless `at_expiry` is `keep`.",
                remedy: "Have the app refresh its token before `exp`. "
                    + "If new tokens are refused, correct the clocks of Bearward and the issuer.")
        case .notYetValid:
            ReasonText(
                cause: "The token's `nbf` or `iat` is further in the future than `leeway` allows.",
                remedy:
                    "Correct the clocks of Bearward's host and of the issuer. Raise `leeway` if they cannot be corrected."
            )
        case .authTimeInvalid:
            ReasonText(
                cause: "`auth_time` is missing, is not a valid time, or is further in the future than `leeway` allows. "
                    + "The issuer's profile requires this claim.",
                remedy: "Check that the token comes from a user's sign-in at this issuer. "
                    + "If `auth_time` is in the future, correct the clocks.")
        case .authenticationTooOld:
            ReasonText(
                cause:
                    "The user's last sign-in (`auth_time`) is longer ago than the issuer's `max_auth_age` plus `leeway`.",
                remedy: "Have the app sign the user in again. If the limit is too strict, raise `max_auth_age`.")
        case .tenantMismatch:
            ReasonText(
                cause: "`tid` is missing, is not a GUID, or is not the tenant that `iss` names. "
                    + "Or the name of another claim differs from `tid` only in case.",
                remedy:
                    "Treat the token as a possible forgery: the platform issues no such tokens. Find out who made it.")
        case .tenantNotAllowed:
            ReasonText(
                cause:
                    "The token comes from a tenant, domain or organization that the issuer's configuration does not allow. "
                    + "Depending on the profile, `allowed_tenants`, `tenant_id`, `tenants`, `hosted_domain` or `org_ids` decides.",
                remedy: "If its users may use this API, add the tenant, domain or organization to that key. "
                    + "Otherwise have users sign in with an allowed account.")
        case .keyIssuerMismatch:
            ReasonText(
                cause: "The signing key belongs to another issuer of the same platform. "
                    + "In the key set, the key's `issuer` member names that issuer.",
                remedy: "Treat the token as a possible forgery: the platform issues no such tokens. "
                    + "If you set `jwks_uri`, check that it is this issuer's.")
        case .policyNotAllowed:
            ReasonText(
                cause:
                    "The token names no user flow or sign-in method that `policies`, `sign_in_providers` or `allow_anonymous` accepts. "
                    + "Or the key of another user flow signed it.",
                remedy: "Add an acceptable user flow to `policies`, or a sign-in method to `sign_in_providers`. "
                    + "For anonymous Firebase users, set `allow_anonymous: true`.")
        case .versionNotAllowed:
            ReasonText(
                cause: "The token's `ver` or `iss` belongs to a token version that is not accepted. "
                    + "Entra ID accepts those in `versions`, External ID only 2.0.",
                remedy: "Set `requestedAccessTokenVersion` to 2 in the manifest of the API's app registration. "
                    + "For Entra ID, you can add the version to `versions` instead.")
        case .clientNotAllowed:
            ReasonText(
                cause:
                    "The token names no client, or one that is not in the issuer's `clients` (Cognito: `client_ids`). "
                    + "Or it is a machine's, and `allow_m2m` or `accept_service_accounts` excludes machines.",
                remedy: "If the client may use this API, add its ID to the issuer's list. "
                    + "For machine clients, set `allow_m2m` or `accept_service_accounts` to `true`.")
        case .claimNotAllowed:
            ReasonText(
                cause: "A claim that the issuer's `require.claims` names is missing or has another value.",
                remedy: "Run `bearward explain` with the token to see the claim. "
                    + "Have the issuer write the required value, or correct `require.claims`.")
        case .signerNotAllowed:
            ReasonText(
                cause: "The header's `signer` is missing, or is none of the load balancers in the issuer's `signer`. "
                    + "Load balancers of other AWS customers sign such tokens too.",
                remedy: "Compare the ARN in `detail` with the ARN of your load balancer. "
                    + "If the load balancer is yours, add its ARN to `signer`.")
        case .foreignResource:
            ReasonText(
                cause:
                    "The header has a `nonce`: Microsoft made the token for one of its own APIs, such as Microsoft Graph. "
                    + "Only that API can verify it.",
                remedy: "Have the app request a token with a scope of this API, not of Microsoft Graph.")
        case .inactive:
            ReasonText(
                cause: "The issuer's introspection answer does not say that the token is active. "
                    + "The token may have expired, been revoked, or come from another issuer.",
                remedy: "Have the app request a new token. "
                    + "If new tokens are inactive too, check `client_id` and `endpoint` in `opaque.introspect`.")
        case .denied:
            ReasonText(
                cause: "An entry of the deny list names the token's `jti`, `sub`, `sid`, client or `kid`. "
                    + "The entry stands in `deny_file`, or was added on the admin listener.",
                remedy:
                    "`bearward explain` names what the token is denied by, and `bearward deny --list` shows what was added. "
                    + "If it is denied by mistake, remove the entry.")
        case .subjectInvalid:
            ReasonText(
                cause:
                    "`sub` is empty, too long, neither a string nor an integer of 64 bits, or contains control characters. "
                    + "For Entra, `oid` is judged too. Or the profile requires `sub`, and it is missing.",
                remedy:
                    "The `detail` says what is wrong with it, and `bearward explain` with the token shows the subject. "
                    + "Have the issuer write a plain identifier there.")
        case .boundToken:
            ReasonText(
                cause: "The token has a `cnf` claim, which binds it to a key of its holder (DPoP or mutual TLS). "
                    + "Bearward accepts bearer tokens only.",
                remedy:
                    "Switch off DPoP or certificate-bound tokens for this client at the issuer. Then have the app request a new token."
            )
        case .claimInvalid:
            ReasonText(
                cause:
                    "`exp` is missing, or `exp`, `nbf`, `iat` or `jti` is malformed or contradictory. Or the token outlives "
                    + "`max_lifetime`, or a claim that the profile requires is wrong (for example `require_email_verified`).",
                remedy: "Run `bearward explain` with the token to see which check fails. "
                    + "If the lifetime is too long, shorten it at the issuer or raise `max_lifetime`.")
        }
    }
}

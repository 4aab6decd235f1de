import AuthorizationDoors
import RequestAuthorization

extension RequestExchange {
    /// Fields common to all answers to the current request.
    func answerTerms(_ fate: ConnectionFate) -> AnswerTerms {
        AnswerTerms(
            date: loop.clock.httpDate(at: EventLoopClock.now()), requestID: record.requestID.text, fate: fate,
            crossOrigin: crossOriginFields, rateLimit: request.rateLimit, form: hop.door?.kind.answerForm ?? .client)
    }

    /// CORS fields of the answer to the current request. Nil if its resource has no CORS policy.
    var crossOriginFields: CrossOriginFields? {
        // Most resources have no policy; read field by field, because a copy of the facts would be expensive.
        guard let verdict = record.facts?.origin, let resource = record.facts?.resource else { return nil }
        return configuration.authorizer.crossOriginFields(verdict, of: resource, for: request.head)
    }
}

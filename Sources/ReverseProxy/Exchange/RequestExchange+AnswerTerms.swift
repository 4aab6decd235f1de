import AuthorizationDoors
import RequestAuthorization

extension RequestExchange {
    /// Fields common to all answers to the current request.
    func answerTerms(_ fate: ConnectionFate) -> AnswerTerms {
        AnswerTerms(
            date: loop.clock.httpDate(at: EventLoopClock.now()), requestID: record.requestID.text, fate: fate,
            crossOrigin: crossOriginFields, rateLimit: request.rateLimit,
            edits: hop.door == nil ? responseEdits : nil, form: hop.door?.kind.answerForm ?? .client)
    }

    /// Edits of the answer to the current request. Nil if its resource and rule edit nothing.
    var responseEdits: PreparedResponseEdits? {
        guard configuration.authorizer.editsResponses, let resource = record.facts?.resource else { return nil }
        return configuration.authorizer.responseEdits(of: record.facts?.rule, resource)
    }

    /// CORS fields of the answer to the current request. Nil if its resource has no CORS policy.
    var crossOriginFields: CrossOriginFields? {
        // Most resources have no policy; read field by field, because a copy of the facts would be expensive.
        guard let verdict = record.facts?.origin, let resource = record.facts?.resource else { return nil }
        return configuration.authorizer.crossOriginFields(verdict, of: resource, for: request.head)
    }
}

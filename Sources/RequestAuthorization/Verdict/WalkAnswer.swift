/// Outcome of a walk that was not refused, or whose refusal is only observed.
enum WalkAnswer {
    case forward(Forwarding)
    /// The response to a CORS preflight.
    case preflight(PreflightAnswer)
    /// A document of the gateway itself, public to everyone.
    case publish(PublishedDocument)
}

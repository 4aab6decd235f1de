/// What a walk comes to where nothing refuses the request, or what refuses it is only observed.
enum WalkAnswer {
    case forward(Forwarding)
    /// The answer to a browser that asks what a page may send.
    case preflight(PreflightAnswer)
    /// A document of the gateway's own, for anyone.
    case publish(PublishedDocument)
}

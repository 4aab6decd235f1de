import ProxySettings

/// Time-outs of requests and connections, in ticks of the event loops.
struct DeadlineTicks: Hashable {
    let head: TickCount
    let bodyIdle: TickCount
    let streamIdle: TickCount
    let idle: TickCount
    let firstByte: TickCount
    let idleWhileDraining: TickCount

    init(_ timeouts: ProxyTimeouts) {
        head = TickCount(timeouts.head)
        bodyIdle = TickCount(timeouts.bodyIdle)
        streamIdle = TickCount(timeouts.streamIdle)
        idle = TickCount(timeouts.idle)
        firstByte = TickCount(timeouts.firstByte)
        idleWhileDraining = TickCount(timeouts.idleWhileDraining)
    }
}

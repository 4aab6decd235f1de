import NIOCore
import ProxySettings

/// The options that all channels of the data path share.
enum DataChannel {
    static let receiveAllocator = AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: 2048, maximum: FixedLimits.read)
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(
        low: FixedLimits.writeBuffer.lowerBound, high: FixedLimits.writeBuffer.upperBound)
}

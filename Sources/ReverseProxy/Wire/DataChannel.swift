import NIOCore
import ProxySettings

/// The options that all channels of the data path share.
enum DataChannel {
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(
        low: FixedLimits.writeBuffer.lowerBound, high: FixedLimits.writeBuffer.upperBound)
}

import Delivery
import Domain
import SafetyNetwork

extension SafetyNetwork {
    /// The pages on which people answer the messages of a channel.
    func links(in channel: DeliveryChannel) -> PageLinks {
        PageLinks(
            alert: { alertLink(to: $0, $1, in: channel) },
            drill: { drillLink(to: $0, $1, in: channel) })
    }
}

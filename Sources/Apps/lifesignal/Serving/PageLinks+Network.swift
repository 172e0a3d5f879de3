import Delivery
import Domain
import SafetyNetwork

extension SafetyNetwork {
    /// Returns the pages on which people answer messages of a channel.
    func links(in channel: DeliveryChannel) -> PageLinks {
        PageLinks(
            alert: { alertLink(to: $0, $1, in: channel) },
            drill: { drillLink(to: $0, $1, in: channel) },
            session: { sessionLink($0, $1) })
    }
}

import Delivery
import Domain
import SafetyNetwork

extension SafetyNetwork {
    /// Returns the pages on which people answer messages of a channel.
    func links(in channel: DeliveryChannel) -> PageLinks {
        PageLinks(
            alert: { [guestAlerts] in guestAlerts.alertLink(to: $0, $1, in: channel) },
            drill: { [guestDrills] in guestDrills.drillLink(to: $0, $1, in: channel) },
            session: { [accountNews] in accountNews.sessionLink($0, $1) })
    }
}

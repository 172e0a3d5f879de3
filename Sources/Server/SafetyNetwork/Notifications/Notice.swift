import Domain
import Foundation
import Persistence

/// A message to a person. It becomes an entry in their notification centre, an event, and a ledger
/// row for each channel. All of them are written in the transaction that causes the message.
struct Notice {
    var text: NotificationText
    var about: UserID?
    /// The person whose action the notice announces; nil if it is the person in `about`.
    var actor: UserID?
    var alert: AlertRow?
    var ping: PingID?
    var isReminder = false
    /// True for news of an alert, which goes to everyone concerned by every channel, even if muted.
    var isUrgent = false
    var cannotBeMuted = false
    /// True if the recipient caused the notice, so that their devices don't announce it.
    var isRead = false
    var purpose = DeliveryPurpose.other
    /// True if an urgent message also goes by SMS.
    var bySMS = true
    /// True if calls follow as they do after an alarm, as long as no responder is on the alert.
    var callsFollow = false
    /// The only endpoint to notify; nil for every channel.
    var onlyEndpoint: PushEndpointID?
    /// The session whose action the notice announces.
    var session: SessionID?
    /// The endpoints to leave out: those of the device that acted.
    var sparedEndpoints: Set<PushEndpointID> = []

    /// True if people can cause it without limit, unlike the deadline monitor's messages.
    var isNews: Bool { alert == nil && purpose != .reminder && purpose != .drill }

    /// Returns news of an alert.
    static func urgent(
        _ text: NotificationText, about: UserID?, alert: AlertRow,
        _ purpose: DeliveryPurpose = .alertNews, by actor: UserID? = nil, bySMS: Bool = true,
        callsFollow: Bool = false
    ) -> Notice {
        Notice(
            text: text, about: about, actor: actor, alert: alert, isUrgent: true, purpose: purpose,
            bySMS: bySMS, callsFollow: callsFollow || Ladder.isAlarm(purpose))
    }
}

/// A notice and its recipients.
struct Announcement {
    var recipients: [Recipient]
    var notice: Notice

    init(to recipients: [Recipient], _ notice: Notice) {
        self.recipients = recipients
        self.notice = notice
    }
}

import Domain
import Foundation
import Persistence

/// A message to a person. It becomes an entry in the notification centre, an event, and a ledger
/// row per channel. One transaction writes all of them.
struct Notice {
    var text: NotificationText
    var about: UserID?
    /// The person whose action the notice announces; nil for the person in `about`.
    var actor: UserID?
    var alert: AlertRow?
    var ping: PingID?
    var isReminder = false
    /// True for an alert's news, which uses every channel, even if muted.
    var isUrgent = false
    var cannotBeMuted = false
    /// True if the recipient caused the notice. Their devices then don't announce it.
    var isRead = false
    var purpose = DeliveryPurpose.other
    /// True if an urgent message may also go by SMS.
    var bySMS = true
    /// True if an SMS is sent only if the push or e-mail fails (`Ladder.startOfReserve`).
    var hasTextInReserve = false
    /// True if the message is only spoken in a call.
    var onlyByVoice = false
    /// True if only pages and endpoints get the message.
    var onlyByPush = false
    /// True if calls follow, as after an alarm, while no responder is on it.
    var callsFollow = false
    /// Older news about the same person that isn't true any more. `Notifier` withdraws these
    /// messages if they are unsent.
    var superseded: StoredNews?
    /// The only endpoint to notify; nil for all channels.
    var onlyEndpoint: PushEndpointID?
    /// The session whose action the notice announces.
    var session: SessionID?
    /// The endpoints of the device that acted, which get no message.
    var sparedEndpoints: Set<PushEndpointID> = []

    /// True for the question whether the responder is still on it. It goes out despite the limits
    /// on news, because its answer is due in five minutes.
    var isHelpQuestion: Bool { text.kind == .helpQuestion }

    /// True for messages that people can cause without limit, unlike those of the deadline monitor.
    var isNews: Bool {
        alert == nil && ![.reminder, .lastCall, .journey, .drill].contains(purpose)
    }

    /// The news for a person who relies on `responder`, who has sent STOP.
    static func textsStopped(_ responder: UserRow) -> Notice {
        Notice(
            text: .textsStopped(
                name: responder.displayName, isGuest: responder.guestSince != nil),
            about: responder.id, cannotBeMuted: true)
    }

    /// The news for a person who relies on `responder`, who has sent START after a STOP.
    static func textsStarted(_ responder: UserRow) -> Notice {
        Notice(
            text: .textsStarted(
                name: responder.displayName, isGuest: responder.guestSince != nil),
            about: responder.id, cannotBeMuted: true)
    }

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

extension Notice {
    /// Makes this the message about an alert's end to people who heard of the alert this way.
    mutating func useSMS(_ text: AlertReach.EndText) {
        bySMS = text == .sent
        hasTextInReserve = text == .inReserve
    }
}

struct Announcement {
    var recipients: [Recipient]
    var notice: Notice

    init(to recipients: [Recipient], _ notice: Notice) {
        self.recipients = recipients
        self.notice = notice
    }
}

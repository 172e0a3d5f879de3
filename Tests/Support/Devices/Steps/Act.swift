import Domain
import Foundation

/// A person's action, or an event on their phone.
enum Act: String, Sendable, CaseIterable {
    case checkIn, raise, end, acknowledge, decline, withdraw, report, resume
    case ping, clear, respond, respondToAll
    case changeRoles, answerRequest, takeBackRequest, remove, block, unblock, meet, order, invite
    case rename, changeInterval, mute, lookAtSettings, endSession, drill
    case readOne, readAll, deleteOne, deleteAll, lookAtCentre
    case changeTab, refresh, pressAgain, dismiss
    case network, loseEvents, setClock, suspend, kill, signOut

    /// The act's relative frequency, in a seed without habits.
    var weight: Int {
        switch self {
        case .checkIn, .raise, .end, .ping: 10
        case .respond, .clear, .acknowledge, .network: 8
        case .decline, .withdraw, .report, .resume, .refresh, .lookAtCentre: 4
        case .changeRoles, .answerRequest, .rename, .changeInterval, .changeTab, .respondToAll: 4
        case .readOne, .deleteOne, .pressAgain, .kill, .suspend, .loseEvents, .mute, .meet: 3
        case .takeBackRequest, .order, .lookAtSettings, .drill, .invite, .dismiss, .setClock: 2
        case .readAll, .deleteAll, .signOut, .remove, .block, .unblock, .endSession: 1
        }
    }
}

/// A press on a button. It must take effect exactly once.
struct Press: Sendable {
    enum Kind: Equatable, Sendable {
        case checkIn, raise, end
        case ping(UserID)
        case clear(UserID)
        case respond(UserID)
        case rename(String)
        case interval(Int)
        case mute(Set<NotificationType>)
        case read(NotificationID)
        case delete(NotificationID)
    }
    var kind: Kind
    /// The true time of the press.
    var moment: Date
    var phone: Int
    /// Whether the phone's clock was right at the press, and at the server's last answer before the
    /// press.
    var isExact = true
    /// How much later the server may put the press. With a clock that is wrong by more than two
    /// minutes at the sending, the way to the server counts (product.md, "Check-in").
    var lateness: Duration = .zero
    /// False if the person has given up the act, or has raised an alert while one was open. The
    /// press may then take effect or not.
    var isMeant = true

    /// Returns true if the server may have this time for the press.
    func mayBe(at time: Date) -> Bool {
        moment <= time && time <= moment.adding(lateness)
    }
}

/// A situation that at least one of a test's seeds must reach. If none does, some rule is untested.
public enum Mark: String, Sendable, CaseIterable {
    case raised, raisedWithoutNetwork, ended, endedBeforeItWasSent
    case acknowledged, declined, withdrew, reported, resumed
    case pinged, pingCleared, pingAnswered
    case rolesChanged, requestAccepted, requestDeclined, requestTakenBack
    case contactRemoved, contactBlocked, contactUnblocked, contactAdded
    case muted, drillStarted, drillAnswered, invited
    case eventsLost, clockSetBack, clockSetBackBetweenPresses, refreshedDuringLoad
    case suspendedWithQueue, killedWithQueue, signedOut, signedOutWithQueue, queueGivenUp
    case sessionEndedElsewhere, unsentAlertAskedAbout, pressedOnBothPhones

    /// No seed from 1 to 36 reaches these.
    public static let unreached: Set<Mark> = [.invited, .unsentAlertAskedAbout]
}

import Domain
import Foundation

/// A person's action, or an event on their phone.
enum Act: String, Sendable, CaseIterable {
    case checkIn, raise, end, acknowledge
    case ping, clear, respond, respondToAll
    case changeRoles, answerRequest
    case rename, changeInterval
    case readOne, readAll, deleteOne, deleteAll
    case changeTab, pressAgain
    case network, kill, signOut

    /// How often it comes, beside the others.
    var weight: Int {
        switch self {
        case .checkIn, .raise, .end, .ping: 10
        case .respond, .clear, .acknowledge, .network: 8
        case .changeRoles, .answerRequest, .rename, .changeInterval, .changeTab, .respondToAll: 4
        case .readOne, .deleteOne, .pressAgain, .kill: 3
        case .readAll, .deleteAll, .signOut: 1
        }
    }
}

/// Something that a person pressed and that has to take effect once.
struct Press: Sendable {
    enum Kind: Equatable, Sendable {
        case checkIn, raise, end
        case ping(UserID)
        case clear(UserID)
        case respond(UserID)
        case rename(String)
        case interval(Int)
        case read(NotificationID)
        case delete(NotificationID)
    }
    var kind: Kind
    var moment: Date
}

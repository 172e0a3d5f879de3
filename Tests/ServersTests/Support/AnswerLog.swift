import Domain
import Foundation
import Synchronization

final class AnswerLog: Sendable {
    /// What a person was answered about one journey.
    struct Travel: Sendable {
        var user: UserID
        var returns: [(chosenAt: Date, expected: Date)] = []
        var hasArrived = false
    }

    struct Book: Sendable {
        var checkIns: [(user: UserID, record: CheckInRecord)] = []
        /// The raised alerts, each with its owner.
        var raised: [(user: UserID, record: AlertRecord)] = []
        var ended: [(user: UserID, record: AlertRecord)] = []
        var pings: [PingRecord] = []
        var answeredPings: [PingRecord] = []
        var journeys: [JourneyID: Travel] = [:]
        var deleted: Set<UserID> = []
        /// Errors other than refusals.
        var failures: [String] = []
    }

    private let content = Mutex(Book())

    var book: Book { content.withLock { $0 } }
    func note(_ change: (inout sending Book) -> Void) { content.withLock { change(&$0) } }
}

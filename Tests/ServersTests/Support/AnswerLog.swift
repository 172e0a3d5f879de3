import Domain
import Synchronization

/// The answers of the servers, in no order.
final class AnswerLog: Sendable {
    struct Book: Sendable {
        var checkIns: [(user: UserID, record: CheckInRecord)] = []
        /// Alerts that were raised, with the id that was asked for.
        var raised: [(user: UserID, record: AlertRecord)] = []
        var ended: [(user: UserID, record: AlertRecord)] = []
        var pings: [PingRecord] = []
        var answeredPings: [PingRecord] = []
        var deleted: Set<UserID> = []
        /// Errors that are no refusal.
        var failures: [String] = []
    }

    private let content = Mutex(Book())

    var book: Book { content.withLock { $0 } }
    func note(_ change: (inout sending Book) -> Void) { content.withLock { change(&$0) } }
}

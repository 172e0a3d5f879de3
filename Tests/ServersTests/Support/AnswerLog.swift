import Domain
import Synchronization

final class AnswerLog: Sendable {
    struct Book: Sendable {
        var checkIns: [(user: UserID, record: CheckInRecord)] = []
        /// The raised alerts, each with its owner.
        var raised: [(user: UserID, record: AlertRecord)] = []
        var ended: [(user: UserID, record: AlertRecord)] = []
        var pings: [PingRecord] = []
        var answeredPings: [PingRecord] = []
        var deleted: Set<UserID> = []
        /// Errors other than refusals.
        var failures: [String] = []
    }

    private let content = Mutex(Book())

    var book: Book { content.withLock { $0 } }
    func note(_ change: (inout sending Book) -> Void) { content.withLock { change(&$0) } }
}

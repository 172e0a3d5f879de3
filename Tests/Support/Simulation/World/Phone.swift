import Domain
import Foundation

/// A person's device: it queues what could not be sent, and sends it again until it is answered.
struct Phone: Sendable {
    /// A check-in or an alert that has not been answered.
    struct Queued: Sendable {
        enum Kind: Sendable { case raise(AlertID), checkIn(CheckInID, at: Date) }
        var kind: Kind
        /// The next answer is lost on its way, after the server has done the work.
        var losesAnswer: Bool
    }

    var person: Int
    var queue: [Queued] = []
    var failures = 0
    /// No network until then.
    var offlineUntil: Date = .distantPast
    /// The app is open, with its stream, until then.
    var openUntil: Date = .distantPast
    /// How far the device's clock is ahead of the truth.
    var clockError: Duration = .zero
    var lastCheckIn: Queued?
    /// The alert that this device believes open.
    var openAlert: AlertID?
    /// The first answers to check-ins, by their id.
    var answers: [CheckInID: CheckInRecord] = [:]
    /// The codes of others as this phone last saw them.
    var codes: [Int: QRCodeID] = [:]

    init(person: Int) { self.person = person }

    func number() throws(CommandError) -> PhoneNumber {
        try PhoneNumber("+1555\(1_000_000 + person)")
    }

    static func person(of number: PhoneNumber) -> Int? {
        Int(number.text.dropFirst(5)).map { $0 - 1_000_000 }
    }

    /// Alerts first, then check-ins, each in the order in which they were made.
    mutating func add(_ item: Queued) {
        if case .raise = item.kind {
            let index = queue.firstIndex { if case .checkIn = $0.kind { true } else { false } }
            queue.insert(item, at: index ?? queue.endIndex)
        } else {
            queue.append(item)
        }
    }
}

import Domain
import Foundation

/// A person's device. It queues failed requests and retries them until they are answered.
struct Phone: Sendable {
    struct Queued: Sendable {
        enum Kind: Sendable {
            case raise(AlertID), checkIn(CheckInID, at: Date)
            case extendJourney(JourneyID, until: Date, at: Date), endJourney(JourneyID, at: Date)
        }
        var kind: Kind
        /// Whether the next response is lost, after the server has done the work.
        var losesAnswer: Bool
    }

    var person: Int
    var queue: [Queued] = []
    var failures = 0
    var offlineUntil: Date = .distantPast
    /// The app and its stream are open until this time.
    var openUntil: Date = .distantPast
    /// How far the device's clock is ahead of the true time.
    var clockError: Duration = .zero
    var lastCheckIn: Queued?
    /// The alert that this device considers open.
    var openAlert: AlertID?
    /// The first response to each check-in, by id.
    var answers: [CheckInID: CheckInRecord] = [:]
    /// The codes of others, as last seen by this phone.
    var codes: [Int: QRCodeID] = [:]

    init(person: Int) { self.person = person }

    /// - Parameter index: how often administrators have moved the person to another number.
    static func number(_ index: Int, of person: Int) throws(CommandError) -> PhoneNumber {
        try PhoneNumber("+1555\(1_000_000 + mostPeople * index + person)")
    }

    private static let mostPeople = 1_000

    static func mailbox(_ count: Int, of person: Int) -> String {
        "person\(person)-\(count)@mail.example"
    }

    static func person(ofMailbox address: String) -> Int? {
        Int(address.dropFirst("person".count).prefix { $0.isNumber })
    }

    static func person(of number: PhoneNumber) -> Int? {
        Int(number.text.dropFirst(5)).map { ($0 - 1_000_000) % mostPeople }
    }

    /// Queues an item: alerts first, then the others, each in order of creation.
    mutating func add(_ item: Queued) {
        if case .raise = item.kind {
            let index = queue.firstIndex { if case .raise = $0.kind { false } else { true } }
            queue.insert(item, at: index ?? queue.endIndex)
        } else {
            queue.append(item)
        }
    }
}

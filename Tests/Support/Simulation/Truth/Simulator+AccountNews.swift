import Domain
import Foundation

/// Checks the messages to people about their accounts, and that deleted accounts get none.
extension Simulator {
    /// The news that go to all devices, because each can undo what has happened.
    private static let toAllDevices: Set = [
        "Your account was locked", "Your account was unlocked", "Your phone number will change",
        "Your phone number was changed", "A link signs in to your account",
        "Somebody has a code for your account", Truth.Announcement.title, "Your data was exported",
    ]
    /// How long the observer waits for a device.
    private static let memory: Duration = .hours(1)

    /// Records a notification about the person's account.
    func learnOfAccount(_ item: NotificationItem, _ person: Int) {
        let owed = hearing.owed.firstIndex { $0.person == person && $0.title == item.title }
        if let owed { hearing.owed.remove(at: owed) }
        heardOfNumber(person, item)
        if item.title == "The sign-in lock stays on" {
            truth.accounts[person]?.signInLock?.turnedOffAt = nil
        }
        heardAnnouncement(person, item)
        // A person who sees it in the app needs no message.
        // News of a session spares the devices of that session.
        guard Self.toAllDevices.contains(item.title), item.sessionID == nil,
            phones[person].openUntil <= now
        else { return }
        hearing.onTheWay.removeAll { now.since($0.madeAt) > Self.memory }
        for number in (truth.accounts[person]?.endpoints.keys.sorted() ?? []) {
            hearing.onTheWay.append(
                Hearing.OnTheWay(
                    endpoint: Endpoint(person: person, number: number), title: item.title,
                    madeAt: now))
        }
    }

    /// Checks a message as it arrives. An attempt in progress may reach a person who has left.
    func checkAccountNews(_ arrival: Outside.Arrival) {
        let (endpoint, title) = (arrival.endpoint, arrival.item.title)
        hearing.onTheWay.removeAll { $0.endpoint == endpoint && $0.title == title }
        let isByMail =
            endpoint.isMail && !arrival.item.body.hasPrefix(AdminRules.restoredWords)
        if title == Truth.Announcement.title, endpoint.isSMS || endpoint.isCall || isByMail {
            note("announcement", "\(endpoint) got an announcement")
        }
        guard let left = truth.gone[endpoint.person], now.since(left) > .minutes(1),
            now.since(truth.restore?.at ?? .distantPast) > .minutes(2)
        else { return }
        note("gone", "\(endpoint) got \"\(title)\" after the deletion of the account")
    }
}

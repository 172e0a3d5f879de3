import ClientsLive
import Domain
import Features
import Foundation
import Synchronization

/// All people with their current and former relations, which determine what a store may contain. A
/// relation is recorded before its request is sent, so that no store can show it earlier.
final class SeenLog: Sendable {
    struct Person: Sendable {
        let number: Int
        let phone: String
        var id: UserID?
        var code: String?
        var name: String { "Person \(number)." }
        var note: String { "Note of person \(number)." }
    }

    private struct State {
        var people: [Person]
        var byID: [UserID: Int] = [:]
        /// For each person, everyone who is, was, or may have become their dependent.
        var watched: [Int: Set<Int>] = [:]
        var findings: [String] = []
        var notifications: [UserID: Set<NotificationID>] = [:]
        var looks = 0
    }

    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(
            State(people: (0..<count).map { Person(number: $0, phone: "+1555\(2_000_000 + $0)") }))
    }

    func person(_ number: Int) -> Person { state.withLock { $0.people[number] } }
    func number(of id: UserID) -> Int? { state.withLock { $0.byID[id] } }

    func enter(_ id: UserID, as number: Int) {
        state.withLock { state in
            state.people[number].id = id
            state.byID[id] = number
        }
    }

    func note(code: String, of number: Int) { state.withLock { $0.people[number].code = code } }

    /// Records that the first person is about to add the second one with these roles.
    func connect(_ one: Int, _ other: Int, isResponder: Bool, isDependent: Bool) {
        state.withLock { state in
            if isResponder { state.watched[other, default: []].insert(one) }
            if isDependent { state.watched[one, default: []].insert(other) }
        }
    }

    var findings: [String] { state.withLock { $0.findings } }
    var looks: Int { state.withLock { $0.looks } }
    var notifications: [UserID: Set<NotificationID>] { state.withLock { $0.notifications } }

    func inspect(_ app: AppFeature.State) {
        state.withLock { state in
            state.looks += 1
            var inspection = Inspection(state.people, state.byID, state.watched)
            let fresh = inspection.look(
                at: app, known: app.signedIn.flatMap { state.notifications[$0.userID] } ?? [])
            if let me = app.signedIn?.userID, !fresh.isEmpty {
                state.notifications[me, default: []].formUnion(fresh)
            }
            state.findings += inspection.findings
        }
    }
}

private struct Inspection {
    private let people: [SeenLog.Person]
    private let byID: [UserID: Int]
    private let watched: [Int: Set<Int>]
    private(set) var findings: [String] = []

    init(_ people: [SeenLog.Person], _ byID: [UserID: Int], _ watched: [Int: Set<Int>]) {
        (self.people, self.byID, self.watched) = (people, byID, watched)
    }

    private func watches(_ one: Int, _ other: Int) -> Bool {
        watched[one]?.contains(other) ?? false
    }
    private func know(_ one: Int, _ other: Int) -> Bool {
        one == other || watches(one, other) || watches(other, one)
    }

    /// - Returns: the notifications that aren't in `known`.
    mutating func look(at app: AppFeature.State, known: Set<NotificationID>) -> [NotificationID] {
        guard let signedIn = app.signedIn else {
            if app.tabs != nil { findings.append("tabs without anybody who is signed in") }
            return []
        }
        // The user has signed in, but the log doesn't know it yet.
        guard let me = byID[signedIn.userID], let tabs = app.tabs else { return [] }
        if tabs.userID != signedIn.userID {
            findings.append("tabs of somebody else than person \(me)")
        }
        for contact in tabs.responders.contacts.contacts { look(at: contact, me) }
        if tabs.dependents.contacts.contacts != tabs.responders.contacts.contacts {
            for contact in tabs.dependents.contacts.contacts { look(at: contact, me) }
        }
        for sheet in [tabs.responders.contactDetails, tabs.dependents.contactDetails]
        where sheet.isSheetPresented {
            if let contact = sheet.contact { look(at: contact, me) }
        }
        for ping in tabs.responders.ping.pingHistory.elements
            + tabs.dependents.ping.pingHistory.elements
        { look(at: ping, me) }
        for alert in tabs.home.alert.alertHistory where UserID(alert.userId) != signedIn.userID {
            findings.append("person \(me) holds an alert of \(alert.userId) as their own")
        }
        for alert in [tabs.dependentAlert?.alert, tabs.dependents.dependentAlert?.alert] {
            guard let alert, let owner = UserID(alert.userId).flatMap({ byID[$0] }) else {
                continue
            }
            if !watches(me, owner) {
                findings.append("person \(me) holds an alert of person \(owner)")
            }
        }
        if !tabs.profile.name.isEmpty,
            tabs.profile.name.hasPrefix(people[me].name) == false
                || tabs.profile.phoneNumber != people[me].phone
        {
            findings.append(
                "person \(me) has the profile of \(tabs.profile.name) \(tabs.profile.phoneNumber)")
        }
        let fresh = tabs.notifications.notifications.filter { !known.contains($0.id) }
        for item in fresh { look(at: item, me) }
        return fresh.map(\.id)
    }

    private mutating func look(at contact: ContactData, _ me: Int) {
        guard let other = byID[contact.id], other != me, know(me, other) else {
            return findings.append("person \(me) holds the contact \(contact.name)")
        }
        if !contact.name.hasPrefix(people[other].name)
            || contact.phoneNumber.map({ $0.text != people[other].phone }) ?? false
        {
            findings.append("person \(me) holds person \(other) as \(contact.name)")
        }
        if contact.isDependent || contact.watch != nil, !watches(me, other) {
            findings.append("person \(me) watches over person \(other)")
        }
        if let note = contact.watch?.emergencyNote, note != people[other].note {
            findings.append("person \(me) reads \(note) of person \(other)")
        }
    }

    private mutating func look(at ping: PingRecord, _ me: Int) {
        guard let responder = byID[ping.responderID], let dependent = byID[ping.dependentID],
            me == responder || me == dependent,
            watches(responder, dependent)
        else { return findings.append("person \(me) holds a ping that is not theirs: \(ping)") }
    }

    private mutating func look(at item: NotificationItem, _ me: Int) {
        if let about = item.aboutUserID, let other = byID[about], !know(me, other) {
            findings.append("person \(me) is told about person \(other): \(item.title)")
        }
        for match in "\(item.title) \(item.body)".matches(of: #/Person (\d+)\./#) {
            guard let other = Int(match.output.1), know(me, other) else {
                findings.append("person \(me) is told of somebody they do not know: \(item.title)")
                continue
            }
        }
    }
}

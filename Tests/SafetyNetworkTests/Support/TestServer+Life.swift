import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

extension TestServer {
    /// Signs in a new person and sets their name. The person has no check-in yet, so no deadline.
    func person(_ name: String) async throws -> Person {
        let serial = Int(environment.makeID().uuid.15) + 256 * Int(environment.makeID().uuid.14)
        let number = try PhoneNumber("+1555\(10_000_000 + serial)")
        let person = try await signIn(number, as: name)
        _ = try await network.profiles.updateProfile(
            name: name, emergencyNote: nil, of: person.caller)
        _ = try await news(of: person)
        return person
    }

    /// Returns a new person who has just checked in, and so has a deadline.
    func armed(_ name: String) async throws -> Person {
        let person = try await person(name)
        try await checkIn(person)
        return person
    }

    func code(for number: PhoneNumber) async throws -> String {
        try await network.codes.requestCode(for: number, from: "phone of \(number)")
        return try #require(environment.codes(on: number).last)
    }

    func signIn(_ number: PhoneNumber, as name: String, on device: String = "Phone") async throws
        -> Person
    {
        let code = try await code(for: number)
        return Person(
            name: name, number: number,
            tokens: try await network.signIn.signIn(number, code: code, deviceName: device))
    }

    func confirmMail(_ address: String, of person: Person) async throws {
        _ = try await network.emailAddresses.setEmailAddress(
            EmailAddress(address), from: "192.0.2.1", of: person.caller)
        let code = try #require(environment.emails.last?.code)
        _ = try await network.emailAddresses.confirmEmailAddress(code: code, of: person.caller)
    }

    func changeNumber(of person: Person, to text: String) async throws {
        let number = try PhoneNumber(text)
        let code = try await code(for: number)
        _ = try await network.phoneNumberChange.changePhoneNumber(
            to: number, code: code, of: person.caller)
    }

    /// Invites somebody without an account, who says yes. The server needs to send SMS.
    func guest(_ name: String, _ number: PhoneNumber, of owner: Person) async throws -> UserRow {
        _ = try await network.invitations.invite(name, .number(number), by: owner.caller)
        let text = try #require(environment.texts(on: number).last)
        let fragment = try #require(text.split(separator: "#").dropFirst().first)
        _ = try await network.invitationAnswers.answerInvitation(
            by: String(fragment.prefix { !$0.isWhitespace }), .yes(name: name))
        return try #require(try await engine.read { try $0.user(phoneNumber: number) })
    }

    /// Makes `responder` scan the code of `dependent` and watch over them.
    func connect(_ responder: Person, watchesOver dependent: Person, mutually: Bool = false)
        async throws
    {
        let code = try #require(QRCodeID(try await network.qrCodes.qrCode(of: dependent.caller).id))
        let roles = try ContactRoles(isResponder: mutually, isDependent: true)
        _ = try await network.contacts.addContact(code: code, roles: roles, to: responder.caller)
        if mutually { try await accept(.dependent, of: responder, by: dependent) }
        for side in [responder, dependent] { _ = try await news(of: side) }
    }

    func accept(_ role: ContactRole, of other: Person, by person: Person) async throws {
        _ = try await network.contacts.acceptRequest(role, from: other.id, by: person.caller)
    }

    /// Makes `owner` scan the code of `other` and request them as a responder.
    func ask(_ other: Person, toWatchOver owner: Person) async throws {
        let code = try #require(QRCodeID(try await network.qrCodes.qrCode(of: other.caller).id))
        let roles = try ContactRoles(isResponder: true, isDependent: false)
        _ = try await network.contacts.addContact(code: code, roles: roles, to: owner.caller)
        for side in [owner, other] { _ = try await news(of: side) }
    }

    @discardableResult
    func checkIn(_ person: Person, at moment: Date? = nil, id: CheckInID? = nil) async throws
        -> CheckInRecord
    {
        try await network.checkIns.checkIn(
            id ?? environment.id(), occurredAt: moment ?? clock.now, by: person.caller)
    }

    @discardableResult
    func raiseAlert(_ person: Person, id: AlertID? = nil) async throws -> AlertRecord {
        try await network.alerts.raiseAlert(id ?? environment.id(), by: person.caller)
    }

    /// Deletes the account, with a code if the server sends codes.
    func deleteAccount(_ person: Person) async throws {
        guard try await network.codes.codeNumber(of: person.caller) != nil else {
            return try await network.accountDeletion.deleteAccount(of: person.caller)
        }
        let request = try await network.codes.requestDeletionCode(
            from: "phone of \(person.number)", of: person.caller)
        let text = try #require(environment.texts(on: person.number).last)
        try await network.accountDeletion.deleteAccount(
            of: person.caller, code: String(text.prefix(6)), requestID: request)
    }

    func endAlert(_ alert: AlertRecord, _ person: Person) async throws -> AlertRecord {
        try await network.alerts.endAlert(try alert.typedID, by: person.caller)
    }

    func acknowledge(_ alert: AlertRecord, _ person: Person) async throws -> AlertRecord {
        try await network.responding.acknowledgeAlert(try alert.typedID, by: person.caller)
    }

    func ping(_ dependent: Person, by responder: Person, id: PingID? = nil) async throws
        -> PingRecord
    {
        try await network.pings.ping(
            id ?? environment.id(), dependent: dependent.id, by: responder.caller)
    }

    func setInterval(_ interval: Duration, of person: Person, reminders: Bool = true) async throws
        -> UserProfile
    {
        let settings = CheckInSettings(
            intervalSeconds: Int(interval.components.seconds), remindTwoHoursBefore: reminders,
            remindThirtyMinutesBefore: reminders,
            lastCall: reminders ? .standard : .off
        )
        return try await network.checkIns.updateSettings(settings, of: person.caller)
    }

    /// Lets time pass without a running server, then starts the server.
    func outage(_ duration: Duration) async throws {
        try await network.serverLife.giveSignOfLife()
        clock.pass(duration)
        try await network.serverLife.wake()
    }

    /// Lets time pass, then runs the deadline monitor.
    @discardableResult
    func pass(_ duration: Duration) async throws -> Date? {
        clock.pass(duration)
        let next = try await deadlineMonitor.handleDueDeadlines()
        return next == Bystanders.end ? nil : next
    }
}

extension TestServer {
    /// The person checks in, and may answer their last call, which is due at this time, by SMS.
    func expectLastCall(of person: Person, at time: Date) async throws {
        let interval = time.adding(.minutes(10)).since(clock.now)
        let settings = CheckInSettings(
            intervalSeconds: Int(interval.components.seconds), remindTwoHoursBefore: false,
            remindThirtyMinutesBefore: false,
            lastCall: LastCall(sendsMessage: true, calls: false, takesAnswers: true))
        _ = try await network.checkIns.updateSettings(settings, of: person.caller)
        try await checkIn(person)
    }
}

extension TestServer {
    /// Returns and deletes the person's notifications, oldest first. Like the deletion of each by
    /// itself, that is an act.
    func newsItems(of person: Person) async throws -> [NotificationItem] {
        let items = try await network.notifications.notifications(
            of: person.caller, page: Page(limit: 200))
        try await engine.write(about: Subjects([person.id])) { [id = person.id] transaction in
            if try transaction.deleteNotifications(.until(.distantFuture), of: id) > 0 {
                try transaction.append(.notificationsChanged(.init()), to: id)
            }
        }
        return items.reversed()
    }

    /// The same, only about alerts.
    func alertNews(of person: Person) async throws -> [NotificationItem] {
        try await newsItems(of: person).filter { $0.alertID != nil }
    }

    func news(of person: Person) async throws -> [String] {
        try await newsItems(of: person).map(\.title)
    }

    func profile(_ person: Person) async throws -> UserProfile {
        try await network.profiles.profile(of: person.caller)
    }

    func alerts(_ person: Person) async throws -> [AlertRecord] {
        try await network.alerts.alerts(visibleTo: person.caller, page: Page(limit: 200))
    }

    func openAlert(_ person: Person) async throws -> AlertRecord? {
        try await alerts(person).first(where: \.isActive)
    }

    func alert(_ alert: AlertRecord, seenBy person: Person) async throws -> AlertRecord {
        try await network.alerts.alert(try alert.typedID, visibleTo: person.caller)
    }

    func contact(_ person: Person, seenBy viewer: Person) async throws -> ContactData? {
        try await network.contacts.contacts(of: viewer.caller).first { $0.id == person.id }
    }

    func events(of person: Person) async throws -> [UserEvent] {
        try await network.events.events(of: person.id, after: 0, limit: 10_000).events.map {
            try UserEvent(kind: $0.kind, data: $0.data)
        }
    }

    func history(of person: Person) async throws -> [CheckInRecord] {
        try await network.checkIns.checkIns(of: person.caller, page: Page(limit: 200))
    }
}

extension AlertRecord {
    var typedID: AlertID { get throws { try #require(AlertID(id)) } }
}

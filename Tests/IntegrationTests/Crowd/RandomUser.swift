import Domain
import Features
import Foundation
import SeededGenerator
import TestApp

/// A user who performs random actions on a device, one after the other. Sometimes another person
/// takes over the device.
struct RandomUser: Sendable {
    let app: TestApp
    let log: SeenLog
    let user: TestUser
    /// The number of people in a street. People from different streets stay strangers.
    static let street = 5
    let count: Int
    var dice: SeededGenerator
    var person: Int
    private(set) var done = 0

    init(_ app: TestApp, _ log: SeenLog, person: Int, count: Int, seed: UInt64) {
        (self.app, self.log, self.person, self.count) = (app, log, person, count)
        user = TestUser("Device \(person)", in: app, inspect: { log.inspect($0) })
        dice = SeededGenerator(seed: seed &+ UInt64(person) &* 1_000_003)
    }

    // MARK: Coming and going

    mutating func join() async throws {
        let me = log.person(person)
        let signedIn = try await user.signIn(me.phone, in: app)
        log.enter(signedIn.userID, as: person)
        if signedIn.isNewUser {
            try await user.onboard(me.name, note: me.note, hours: 1)
        } else {
            try await user.arrive()
        }
        if me.code == nil { log.note(code: try await user.showCode().qrCodeID, of: person) }
    }

    /// Signs out, and signs in as a random person. That person may live in another street, or be
    /// signed in on another device.
    private mutating func changeHands() async throws {
        await user.send(tabs: .profile(.signOutButtonTapped))
        await user.send(tabs: .profile(.confirmSignOut(.presented(.signOutConfirmed))))
        try await user.shows("the sign-in", that: { $0.signedIn == nil })
        person = Int.random(in: 0..<count, using: &dice)
        while true {
            // Another device may have requested a newer code for the same number. The server then
            // rejects this code, and the loop requests a new one.
            do { return try await join() } catch let error as UserFacingError
                where error.code == UserFacingError(.unauthenticated("")).code
            {
                await user.send(signedOut: .changePhoneNumberButtonTapped)
            }
        }
    }

    // MARK: One thing

    mutating func act() async throws {
        let state = await user.state
        guard let tabs = state.tabs else { return try await join() }
        if dice.isBelow(0.01) { return try await changeHands() }
        let contacts = tabs.responders.contacts.contacts.elements
        switch Int.random(in: 0..<13, using: &dice) {
        case 0: await user.send(tabs: .home(.checkIn(.checkInButtonTapped)))
        case 1: await user.send(tabs: .home(.alert(.setActivationProgress(1))))
        case 2: await user.send(tabs: .home(.alert(.alertDeactivationProgressChanged(1))))
        case 3:
            if let other = dice.one(of: contacts.filter(\.isDependent)) {
                await user.send(tabs: .dependents(.ping(.pingDependent(other.id))))
            }
        case 4:
            if let other = dice.one(of: contacts.filter(\.hasPendingPing)), dice.coin() {
                await user.send(tabs: .responders(.ping(.respondToPing(other.id))))
            } else {
                await user.send(tabs: .responders(.ping(.respondToAllPings)))
            }
        case 5:
            if let other = dice.one(of: contacts.filter { $0.pingedAt != nil }) {
                await user.send(tabs: .dependents(.ping(.clearPing(other.id))))
            }
        case 6: if let other = dice.one(of: contacts) { await changeRoles(of: other) }
        case 7: if let other = dice.one(of: contacts), dice.isBelow(0.5) { await remove(other) }
        case 8: try await add()
        case 9: await rename()
        case 10: await tidy(tabs.notifications)
        case 11:
            if let other = dice.one(of: contacts.filter { $0.requests.contains { !$0.isMine } }) {
                await answer(other)
            }
        default:
            if let other = dice.one(
                of: contacts.filter { $0.watch?.status != .active && $0.isDependent })
            {
                await help(other)
            }
        }
        done += 1
        try await user.shows("an end of what it does", that: \.isAtRest)
    }

    private mutating func changeRoles(of other: ContactData) async {
        let (isResponder, isDependent) =
            dice.coin()
            ? (!other.isResponder, other.isDependent) : (other.isResponder, !other.isDependent)
        if let number = log.number(of: other.id) {
            log.connect(person, number, isResponder: isResponder, isDependent: isDependent)
        }
        await user.send(tabs: .dependents(.selectContact(other)))
        let isResponderMeant = isResponder != other.isResponder
        await user.send(
            tabs: .dependents(
                .contactDetails(isResponderMeant ? .responderToggleTapped : .dependentToggleTapped))
        )
        let confirmation: ContactDetailsSheetViewFeature.Action.Confirmation =
            isResponderMeant ? .responderConfirmed(isResponder) : .dependentConfirmed(isDependent)
        await user.send(
            tabs: .dependents(.contactDetails(.confirmation(.presented(confirmation)))),
            ifShown: { $0.dependents.contactDetails.confirmation != nil })
    }

    private mutating func answer(_ other: ContactData) async {
        guard let request = other.requests.first(where: { !$0.isMine }) else { return }
        await user.send(tabs: .dependents(.selectContact(other)))
        await user.send(
            tabs: .dependents(
                .contactDetails(
                    dice.isBelow(0.8)
                        ? .acceptButtonTapped(request.role) : .declineButtonTapped(request.role))))
    }

    private func remove(_ other: ContactData) async {
        await user.send(tabs: .responders(.selectContact(other)))
        await user.send(tabs: .responders(.contactDetails(.removeButtonTapped)))
        await user.send(
            tabs: .responders(.contactDetails(.confirmation(.presented(.removeConfirmed)))),
            ifShown: { $0.responders.contactDetails.confirmation != nil })
    }

    mutating func add() async throws {
        let street = person / Self.street * Self.street
        let other = Int.random(in: street..<min(street + Self.street, count), using: &dice)
        guard other != person, let code = log.person(other).code else { return }
        let (isResponder, isDependent) =
            dice.one(of: [(true, false), (false, true), (true, true)]) ?? (true, true)
        log.connect(person, other, isResponder: isResponder, isDependent: isDependent)
        await user.send(tabs: .linkOpened(code: code))
        try await user.shows(
            "whose code it is, or why not",
            that: { $0.tabs?.dependents.addContact.isLoading != true })
        await user.send(tabs: .dependents(.addContact(.isResponderChanged(isResponder))))
        await user.send(tabs: .dependents(.addContact(.isDependentChanged(isDependent))))
        await user.send(tabs: .dependents(.addContact(.addButtonTapped)))
    }

    private mutating func rename() async {
        await user.send(tabs: .profile(.editButtonTapped))
        await user.send(
            tabs: .profile(
                .editingNameChanged(
                    "\(log.person(person).name) \(Int.random(in: 0..<1_000, using: &dice))")))
        await user.send(tabs: .profile(.saveButtonTapped))
    }

    private mutating func tidy(_ centre: NotificationFeature.State) async {
        let item = dice.one(of: centre.notifications.elements)
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: if let item { await user.send(tabs: .notifications(.notificationTapped(item.id))) }
        case 1:
            guard let item else { return }
            await user.send(tabs: .notifications(.deleteButtonTapped(item.id)))
            await user.send(
                tabs: .notifications(.confirmDelete(.presented(.deleteConfirmed(item.id)))),
                ifShown: { $0.notifications.confirmDelete != nil })
        case 2: await user.send(tabs: .notifications(.markAllAsReadButtonTapped))
        default:
            await user.send(tabs: .notifications(.deleteAllButtonTapped))
            await user.send(
                tabs: .notifications(.confirmDelete(.presented(.deleteAllConfirmed))),
                ifShown: { $0.notifications.confirmDelete != nil })
        }
    }

    private func help(_ other: ContactData) async {
        await user.send(tabs: .dependents(.alertTapped(other)))
        await user.send(
            tabs: .dependents(.dependentAlert(.presented(.onAppear))),
            ifShown: { $0.dependents.dependentAlert != nil })
        await user.send(
            tabs: .dependents(.dependentAlert(.presented(.acknowledgeButtonTapped))),
            ifShown: { $0.dependents.dependentAlert != nil })
    }
}

extension AppFeature.State {
    /// True if the user is signed out or no action is in progress.
    var isAtRest: Bool {
        guard let tabs else { return signedIn == nil }
        let sheets = [tabs.responders.contactDetails, tabs.dependents.contactDetails]
        return !tabs.home.checkIn.isCheckingIn && !tabs.home.alert.isActivatingAlert
            && !tabs.home.alert.isDeactivatingAlert
            && tabs.responders.ping.inFlight.isEmpty && tabs.dependents.ping.inFlight.isEmpty
            && !sheets.contains(where: \.isBusy)
            && !tabs.dependents.addContact.isLoading && !tabs.dependents.addContact.isAdding
            && !tabs.profile.isLoading
            && tabs.notifications.inFlight.isEmpty && !tabs.notifications.isChangingAll
            && tabs.dependents.dependentAlert?.isAcknowledging != true
    }
}

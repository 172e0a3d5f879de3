import Domain
import Foundation
import Testing

@testable import Features

@Suite struct TabWordsTests {
    private func troubled(_ status: UserStatus) throws -> ContactData {
        try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: status)
    }

    @Test func titleNamesTheTopScreen() {
        var main = MainTabFeature.State(userID: Fixture.ana, selectedTab: .profile)
        #expect(main.title == "Profile" && main.shows(.profile))
        main.profile.destination = .settings(.init())
        #expect(main.title == "Settings")
        main.selectedTab = .home
        #expect(main.title == "Home")
        main.isNotificationCentrePresented = true
        #expect(main.title == "Notifications" && !main.shows(.home))
    }

    @Test func troubleShowsOnAllOtherTabs() throws {
        var main = MainTabFeature.State(userID: Fixture.ana)
        main.dependents.contacts.contacts = [try troubled(.alertActive)]
        #expect(main.troubled.map(\.troubleWords) == ["Ben has raised an alert"])
        #expect(main.badgeWords(of: .dependents) == "needs help")
        main.dependents.contacts.contacts = [try troubled(.nonResponsive)]
        #expect(main.troubled.map(\.troubleWords) == ["Ben has not checked in"])
        #expect(main.badgeWords(of: .dependents) == "not responding")
        main.selectedTab = .dependents
        #expect(main.troubled.isEmpty)
        main.dependents.contacts.contacts = [try troubled(.active)]
        main.selectedTab = .home
        #expect(main.troubled.isEmpty)
    }

    @Test func emergencyHidesTheNewContactBanner() throws {
        var main = MainTabFeature.State(userID: Fixture.ana)
        let item = Fixture.notification(1, .contactAdded)
        main.notifications.notifications = [item]
        #expect(main.newContactBanner == item)
        main.home.alert.isActivatingAlert = true
        #expect(main.newContactBanner == nil)
        main.home.alert.isActivatingAlert = false
        for alert in [\AlertFeature.State.missedCheckIn, \AlertFeature.State.overdueJourney] {
            main.home.alert[keyPath: alert] = Fixture.alert(7, of: Fixture.ana)
            #expect(main.newContactBanner == nil)
            main.home.alert[keyPath: alert] = nil
            #expect(main.newContactBanner == item)
        }
        main.dependents.contacts.contacts = [try troubled(.nonResponsive)]
        #expect(main.newContactBanner == nil)
    }

    @Test func newContactBannerShowsThePresentRelation() throws {
        var main = MainTabFeature.State(userID: Fixture.ana)
        var asked = Relation()
        asked.dependent = .requested(isMine: false, at: Fixture.now)
        let text = NotificationText.contact(.added, name: "Ben", isMine: false, relation: asked)
        let end = " They used your code. If this surprises you, remove or block them."
        var item = Fixture.notification(1, .contactAdded, about: Fixture.ben)
        item.body = text.body(in: nil, at: Fixture.now)
        #expect(item.body == "Ben asks you to be their responder." + end)
        main.notifications.notifications = [item]
        #expect(main.newContactBanner == item)
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        main.home.cards.contacts = [ben]
        #expect(main.newContactBanner?.body == "You are told when Ben needs help." + end)
        // Another new contact shows once Ben is gone. Its message is not about a code.
        let other = Fixture.notification(2, .contactAdded, minutesAgo: 1, about: Fixture.id(9))
        main.notifications.notifications = [item, other]
        main.home.cards.contacts = []
        #expect(main.newContactBanner == other)
    }

    @Test func newsIsTheNewestUnreadNotification() {
        var main = MainTabFeature.State(userID: Fixture.ana)
        main.notifications.notifications = [Fixture.notification(1, .ping)]
        #expect(main.news == "Title 1")
        main.isNotificationCentrePresented = true
        #expect(main.news == "")
        main.isNotificationCentrePresented = false
        for item in [
            Fixture.notification(2, .ping, isRead: true), Fixture.notification(3, .alert),
            Fixture.notification(4, .contactAdded),
        ] {
            main.notifications.notifications = [item]
            #expect(main.news == "")
        }
    }

    @Test func dependentsAreSplitByTrouble() throws {
        var state = DependentsFeature.State()
        #expect(state.troubleWords == nil && state.othersTitle == "Everyone you watch over")
        let cleo = try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true)
        state.contacts.contacts = [cleo, try troubled(.alertActive)]
        #expect(state.inTrouble.map(\.name) == ["Ben"] && state.others.map(\.name) == ["Cleo"])
        #expect(state.troubleWords == "1 person needs you now" && state.othersTitle == "The others")
        var both = cleo
        both.watch?.status = .nonResponsive
        state.contacts.contacts = [both, try troubled(.alertActive)]
        #expect(state.troubleWords == "2 people need you now")
    }

    @Test func missedDeadlineFollowsClockOrAlert() {
        var home = HomeFeature.State()
        home.checkIn.nextCheckInTime = Fixture.now
        home.checkIn.now = Fixture.now.adding(.milliseconds(-1))
        #expect(!home.hasMissed)
        home.checkIn.now = Fixture.now
        #expect(home.hasMissed)
        home.checkIn.nextCheckInTime = nil
        #expect(!home.hasMissed && home.missedDeadline == nil)
        home.alert.missedCheckIn = Fixture.alert(7, kind: .missedCheckIn)
        home.alert.missedCheckIn?.deadline = Fixture.now
        #expect(home.hasMissed && home.missedDeadline == Fixture.now)
    }

    @Test func cardsDescribeTheProtection() throws {
        #expect(HomeCardsFeature.State().protectionCard == nil)
        let nobody = HomeCardsFeature.State(contacts: [])
        #expect(nobody.protectionCard?.tone == .critical)
        var asked = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        asked.requests = [
            RoleRequest(role: .responder, isMine: true, requestedAt: Fixture.now)
        ]
        let card = HomeCardsFeature.State(contacts: [asked]).protectionCard
        #expect(card?.tone == .warning && card?.text.hasPrefix("You asked Ben.") == true)
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        #expect(HomeCardsFeature.State(contacts: [ben]).protectionCard == nil)
    }
}

import Domain
import Features
import Foundation
import TestApp
import Testing

@Suite(.timeLimit(.minutes(5))) struct SettingsStoryTests {
    @Test func sessionEndedElsewhereSignsTheDeviceOut() async throws {
        let app = try TestApp(.memory)
        let phone = try await app.welcome("Ana", "+15550100001")
        let tablet = TestUser("Ana's tablet", in: app)
        try await tablet.signIn("+15550100001", in: app)
        try await tablet.arrive()

        await phone.send(tabs: .profile(.settingsButtonTapped))
        await phone.send(tabs: .profile(.destination(.presented(.settings(.onAppear)))))
        let other = try await phone.tabs("both sessions") { tabs in
            tabs.profile.settings.flatMap {
                $0.sessions.count == 2 ? $0.sessions.first { !$0.isCurrent } : nil
            }
        }
        #expect(other.deviceName == "Ana's tablet")
        await phone.send(
            tabs: .profile(.destination(.presented(.settings(.endSessionButtonTapped(other.id))))))
        await phone.send(
            tabs: .profile(
                .destination(
                    .presented(.settings(.confirmation(.presented(.endSessionConfirmed(other.id)))))
                )))
        try await phone.tabs(
            "one session", that: { $0.profile.settings?.sessions.map(\.isCurrent) == [true] })
        try await tablet.shows("that it was signed out, and why") { state -> Bool? in
            state.signedIn == nil && state.screen?.is(\.signedOut) == true
                && state.error?.code == "unauthenticated" ? true : nil
        }
        try await phone.shows("that it is still signed in", that: { $0.signedIn != nil })
    }

    @Test func exportContainsTheUsersData() async throws {
        let both = try await AnaAndBen()
        await both.ana.send(tabs: .profile(.settingsButtonTapped))
        await both.ana.send(
            tabs: .profile(.destination(.presented(.settings(.exportButtonTapped)))))
        let file = try await both.ana.tabs("the file") { $0.profile.settings?.exportedFile }
        let text = String(decoding: file, as: UTF8.self)
        #expect(
            text.contains("Penicillin") && text.contains("Ben") && text.contains("+15550100001"))
        #expect(try JSONSerialization.jsonObject(with: file) is [String: Any])
        await both.ana.send(tabs: .profile(.destination(.presented(.settings(.exportHandedOver)))))
        try await both.ana.tabs(
            "nothing of it any more", that: { $0.profile.settings?.exportedFile == nil })
    }

    @Test func deletedAccountIsGoneAndContactsAreNotified() async throws {
        let both = try await AnaAndBen()
        let tablet = TestUser("Ana's tablet", in: both.app)
        try await tablet.signIn("+15550100001", in: both.app)
        try await tablet.arrive()
        await both.ana.send(tabs: .profile(.settingsButtonTapped))
        await both.ana.send(
            tabs: .profile(.destination(.presented(.settings(.deleteAccountButtonTapped)))))
        await both.ana.send(
            tabs: .profile(
                .destination(
                    .presented(.settings(.confirmation(.presented(.deleteAccountConfirmed)))))))
        try await both.ana.shows("the sign-in, and words") { state -> Bool? in
            state.signedIn == nil && state.screen?.is(\.signedOut) == true
                && state.errors.map(\.code) == ["account-deleted"] ? true : nil
        }
        try await tablet.shows(
            "that the other device is signed out too",
            that: { $0.signedIn == nil && $0.screen?.is(\.signedOut) == true })
        try await both.ben.tabs(
            "no contact",
            that: {
                $0.responders.contacts.contacts.isEmpty && $0.dependents.contacts.contacts.isEmpty
            })
        let told = try await both.ben.tabs("that Ana left") {
            $0.notifications.notifications.first { $0.type == .contactRemoved }
        }
        #expect(told.title.contains("Ana") || told.body.contains("Ana"))
        #expect(try await both.app.count("SELECT COUNT(*) FROM users") == 1)
    }
}

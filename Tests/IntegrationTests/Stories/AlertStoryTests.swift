import Domain
import Features
import Foundation
import TestApp
import Testing

@Suite(.timeLimit(.minutes(5))) struct AlertStoryTests {
    private func raise(_ ana: TestUser) async throws -> AlertID {
        for _ in 1...4 { await ana.send(tabs: .home(.alert(.alertButtonTapped))) }
        return try await ana.tabs("her alert") {
            $0.home.alert.isAlertActive && !$0.home.alert.isSendingStart
                ? $0.home.alert.alertID : nil
        }
    }

    private func end(_ ana: TestUser) async throws {
        await ana.send(tabs: .home(.alert(.alertDeactivationProgressChanged(1))))
        try await ana.tabs(
            "that it is over",
            that: { !$0.home.alert.isAlertActive && !$0.home.alert.isDeactivatingAlert })
    }

    @Test func fourTapsAlertBenWhoTakesItOn() async throws {
        let both = try await AnaAndBen()
        let cy = try await both.third()
        let id = try await raise(both.ana)
        let seen = try await both.ben.contact(
            "Ana", "who needs help", isAs: { $0.watch?.status == .alertActive })
        try await cy.contact("Ana", "who needs help", isAs: { $0.watch?.status == .alertActive })

        await both.ben.send(tabs: .dependents(.alertTapped(seen)))
        await both.ben.send(tabs: .dependents(.dependentAlert(.presented(.onAppear))))
        try await both.ben.tabs("the alert, and who else was told") { tabs -> Bool? in
            let sheet = tabs.dependents.dependentAlert
            return sheet?.alertID == id && sheet?.canAcknowledge == true
                && sheet?.othersTold == ["Cy"] ? true : nil
        }
        both.app.time.pass(.seconds(40))
        await both.ben.send(
            tabs: .dependents(.dependentAlert(.presented(.acknowledgeButtonTapped))))
        try await both.ben.tabs(
            "that it is his", that: { $0.dependents.dependentAlert?.isMine == true })
        let acknowledgement = try await both.ana.tabs("that Ben comes") { tabs in
            tabs.home.alert.alertHistory.first { AlertID($0.id) == id }?.acknowledgement
        }
        #expect(acknowledgement.name == "Ben" && acknowledgement.afterSeconds == 40)
        try await cy.notification("Ben")

        try await end(both.ana)
        try await both.ben.tabs(
            "that it is over", that: { $0.dependents.dependentAlert?.isOver == true })
        try await both.ben.contact("Ana", "who is safe", isAs: { $0.watch?.status == .active })
        try await cy.contact("Ana", "who is safe", isAs: { $0.watch?.status == .active })
    }

    @Test func secondResponderSeesWhoIsOnIt() async throws {
        let both = try await AnaAndBen()
        let cy = try await both.third()
        _ = try await raise(both.ana)
        for user in [both.ben, cy] {
            let seen = try await user.contact(
                "Ana", "who needs help", isAs: { $0.watch?.status == .alertActive })
            await user.send(tabs: .dependents(.alertTapped(seen)))
            await user.send(tabs: .dependents(.dependentAlert(.presented(.onAppear))))
            try await user.tabs(
                "that it can be taken on",
                that: { $0.dependents.dependentAlert?.canAcknowledge == true })
        }
        await both.ben.send(
            tabs: .dependents(.dependentAlert(.presented(.acknowledgeButtonTapped))))
        try await cy.tabs("that Ben has it") { tabs -> Bool? in
            let sheet = tabs.dependents.dependentAlert
            return sheet?.alert?.acknowledgement?.name == "Ben" && sheet?.canAcknowledge == false
                && sheet?.isMine == false ? true : nil
        }
    }

    /// Cy raises and ends more alerts than a session keeps. Meanwhile, Ana's alert and Ben's own
    /// alert stay open.
    @Test func manyLaterAlertsKeepOpenOnesVisible() async throws {
        let both = try await AnaAndBen()
        let cy = try await both.app.welcome("Cy", "+15550100003")
        try await both.app.connect(cy, watchedBy: both.ben)
        try await both.ben.contact("Cy")
        let (anas, bens) = (try await raise(both.ana), try await raise(both.ben))
        let caller = Caller(userID: try await cy.id, sessionID: .init(UUID()))
        for _ in 1...30 {
            both.app.time.pass(.seconds(1))
            let alert = AlertID(UUID())
            _ = try await both.app.network.alerts.raiseAlert(alert, by: caller)
            _ = try await both.app.network.alerts.endAlert(alert, by: caller)
        }
        // There are more events than a stream's buffer holds. No keep-alive makes the stream read
        // the rest.
        try await both.ben.tabs(
            "all that Cy did",
            that: {
                $0.notifications.notifications.count {
                    $0.title.hasPrefix("Cy ") && $0.type == .alert
                } == 60
            })

        let tablet = TestUser("Ben's tablet", in: both.app)
        try await tablet.signIn("+15550100002", in: both.app)
        try await tablet.arrive()
        for device in [both.ben, tablet] {
            try await device.tabs(
                "Ben's own alert",
                that: { $0.home.alert.isAlertActive && $0.home.alert.alertID == bens })
            let seen = try await device.contact(
                "Ana", "who needs help", isAs: { $0.watch?.status == .alertActive })
            await device.send(tabs: .dependents(.alertTapped(seen)))
            await device.send(tabs: .dependents(.dependentAlert(.presented(.onAppear))))
            try await device.tabs(
                "Ana's alert",
                that: {
                    $0.dependents.dependentAlert?.alertID == anas
                        && $0.dependents.dependentAlert?.canAcknowledge == true
                })
        }
        try await end(both.ana)
        try await end(tablet)
        for device in [both.ben, tablet] {
            try await device.tabs(
                "that Ana's is over", that: { $0.dependents.dependentAlert?.isOver == true })
            try await device.tabs("that Ben's is over", that: { !$0.home.alert.isAlertActive })
        }
    }

    @Test func unansweredAlertIsRepeated() async throws {
        let both = try await AnaAndBen()
        _ = try await raise(both.ana)
        try await both.ben.tabs(
            "one notification",
            that: { $0.notifications.notifications.count { $0.type == .alert } == 1 })
        both.app.time.pass(.minutes(5))
        try await both.app.deadlineMonitor.handleDueDeadlines()
        try await both.ben.tabs(
            "another", that: { $0.notifications.notifications.count { $0.type == .alert } == 2 })
    }

    @Test func anasOtherDeviceShowsAndEndsTheAlert() async throws {
        let both = try await AnaAndBen()
        let tablet = TestUser("Ana's tablet", in: both.app)
        try await tablet.signIn("+15550100001", in: both.app)
        try await tablet.arrive()
        let id = try await raise(both.ana)
        try await tablet.tabs(
            "the phone's alert",
            that: { $0.home.alert.isAlertActive && $0.home.alert.alertID == id })
        try await end(tablet)
        try await both.ana.tabs(
            "that it is over",
            that: { !$0.home.alert.isAlertActive && $0.home.alert.alertID == nil })
        #expect(try await both.app.count("SELECT COUNT(*) FROM alerts") == 1)
    }
}

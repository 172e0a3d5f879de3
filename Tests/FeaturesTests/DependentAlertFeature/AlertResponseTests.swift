import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Tests responses to Ben's alert other than "I'm on it".
@MainActor @Suite struct AlertResponseTests {
    typealias Feature = DependentAlertFeature

    private let alertID: AlertID = Fixture.id(20)

    private func alert(
        takenBy user: UserID? = nil, report: AlertAction.Kind? = nil,
        of reporter: UserID = Fixture.ana,
        isActive: Bool = true
    ) -> AlertRecord {
        var alert = Fixture.alert(
            20, of: Fixture.ben, isActive: isActive,
            acknowledgement: user.map {
                .init(responderId: $0.description, name: "X", time: Fixture.now, afterSeconds: 1)
            })
        alert.report = report.map {
            AlertAction(kind: $0, responderId: reporter.description, name: "X", time: Fixture.now)
        }
        return alert
    }

    private func state(_ alert: AlertRecord?, request: Feature.Request? = nil) throws
        -> Feature.State
    {
        .init(
            alertID: alertID, dependent: try Fixture.contact(Fixture.ben, "Ben", isDependent: true),
            alert: alert, ownID: Fixture.ana, request: request)
    }

    private func store(
        _ alert: AlertRecord?, prepare: (inout DependencyValues) -> Void = { _ in }
    ) throws -> TestStoreOf<Feature> {
        let state = try state(alert)
        return TestStore(initialState: state) {
            Feature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    // MARK: Available responses

    @Test func onlyTheHelperCanWithdraw() throws {
        #expect(try state(alert(takenBy: Fixture.ana)).canWithdraw)
        #expect(try !state(alert(takenBy: Fixture.cleo)).canWithdraw)
        #expect(try !state(alert()).canWithdraw)
        #expect(try !state(alert(takenBy: Fixture.ana, isActive: false)).canWithdraw)
        #expect(
            try !state(alert(takenBy: Fixture.ana), request: .init(.resume, to: alertID))
                .canWithdraw)
    }

    @Test(arguments: AlertReport.allCases) func anyResponderCanReportOnce(
        report: AlertReport
    ) throws {
        #expect(try state(alert(takenBy: Fixture.cleo)).canReport(report))
        #expect(try state(alert(report: report.action, of: Fixture.cleo)).canReport(report))
        #expect(try !state(alert(report: report.action)).canReport(report))
        #expect(try state(alert(report: report.action)).hasReported(report))
        #expect(try !state(alert(isActive: false)).canReport(report))
        #expect(try !state(nil).canReport(report))
    }

    @Test func reportPausesForTwelveHoursAndCanBeResumed() throws {
        let paused = try state(alert(report: .foundSafe, of: Fixture.cleo))
        #expect(paused.canResume && paused.pausedUntil == Fixture.now.adding(.hours(12)))
        #expect(try !state(alert()).canResume)
        let over = try state(alert(report: .foundSafe, isActive: false))
        #expect(!over.canResume && over.pausedUntil == nil)
    }

    @Test func decliningNeedsAnUnansweredAlert() throws {
        #expect(try state(alert()).canDecline)
        #expect(try !state(alert(takenBy: Fixture.ana)).canDecline)
        #expect(try !state(alert(takenBy: Fixture.cleo)).canDecline)
        #expect(try !state(alert(isActive: false)).canDecline)
        var declined = alert()
        let time = Fixture.now
        declined.history = [
            AlertAction(kind: .declined, responderId: "\(Fixture.ana)", name: "X", time: time)
        ]
        let mine = try state(declined)
        #expect(mine.hasDeclined && !mine.canDecline && mine.canAcknowledge)
        declined.history[0].responderId = "\(Fixture.cleo)"
        #expect(try state(declined).canDecline)
    }

    @Test(arguments: [-1, 0, 1]) func anotherMissedDeadlineEndsTheRefusal(second: Int) throws {
        var declined = alert()
        declined.kind = .missedCheckIn
        declined.deadline = Fixture.now
        declined.history = [
            AlertAction(
                kind: .declined, responderId: "\(Fixture.ana)", name: "X",
                time: Fixture.now.adding(.seconds(second)))
        ]
        let mine = try state(declined)
        #expect(mine.hasDeclined == (second >= 0) && mine.canDecline == (second < 0))
        declined.kind = .journey
        #expect(try state(declined).hasDeclined)
    }

    /// Refusals from before the lifting of a report don't count.
    @Test(arguments: [-1, 0, 1]) func liftedReportEndsTheRefusal(second: Int) throws {
        var declined = alert()
        let lifting = Fixture.now.adding(.seconds(second))
        declined.history = [
            AlertAction(
                kind: .declined, responderId: "\(Fixture.ana)", name: "X", time: Fixture.now),
            AlertAction(kind: .resumed, responderId: "\(Fixture.ben)", name: "Ben", time: lifting),
        ]
        let mine = try state(declined)
        #expect(mine.hasDeclined == (second <= 0) && mine.canDecline == (second > 0))
    }

    @Test func declinedWordsSayWhetherOthersAreAsked() throws {
        var declined = alert()
        declined.othersTold = ["Cleo"]
        #expect(
            try state(declined).declinedWords.hasSuffix("other responders are being asked."))
        declined.isRefusedByAll = true
        #expect(try state(declined).declinedWords.contains("No one else is left: call"))
        declined.othersTold = []
        #expect(try state(declined).declinedWords.contains("There is no one else to ask: call"))
        var reported = alert(report: .foundSafe, of: Fixture.cleo)
        reported.othersTold = ["Cleo"]
        #expect(try state(reported).declinedWords == "You have said that you can’t.")
        #expect(
            try state(alert(takenBy: Fixture.cleo)).declinedWords
                == "You have said that you can’t.")
    }

    @Test func helpNewsHasTheRefusalUntilSomeoneHelps() throws {
        var declined = alert()
        #expect(try state(declined).helpNews.hasPrefix("No one yet."))
        #expect(try !state(declined).helpNews.contains("You have said that you can’t."))
        let refusal = AlertAction(
            kind: .declined, responderId: "\(Fixture.ana)", name: "X", time: Fixture.now)
        declined.history = [refusal]
        let news = try state(declined).helpNews
        #expect(news.hasPrefix("No one yet.") && news.contains("You have said that you can’t."))
        var taken = alert(takenBy: Fixture.cleo)
        taken.history = [refusal]
        #expect(try state(taken).helpNews == "X is on it")
    }

    /// The server doesn't name the others to a user who hasn't accepted the role.
    @Test func declinedWordsWithoutConsentDependOnTheServer() throws {
        var state = try state(alert())
        state.dependent?.isDependent = false
        #expect(state.declinedWords.hasSuffix("Ben’s other responders have the alert, too."))
        state.alert?.isRefusedByAll = true
        #expect(state.declinedWords.contains("No one else is left: call Ben"))
    }

    /// Older servers send `isRefusedByAll` only to the owner.
    @Test func onlyResponderOfAnOlderServerReadsThatNoOneIsLeft() throws {
        #expect(try state(alert()).declinedWords.contains("There is no one else to ask: call Ben"))
    }

    // MARK: Sent responses

    @Test func declineIsSent() async throws {
        let request = Feature.Request(.decline, to: alertID)
        let store = try store(alert())
        await store.send(.declineButtonTapped) { $0.request = request }
        await store.receive(.delegate(.requested(request)))
        await store.send(.declineButtonTapped)
    }

    @Test func withdrawalIsSent() async throws {
        let request = Feature.Request(.withdraw, to: alertID)
        let store = try store(alert(takenBy: Fixture.ana)) { [alert = alert()] in
            $0.alertClient.alert = { _ in alert }
        }
        await store.send(.withdrawButtonTapped) { $0.request = request }
        await store.receive(.delegate(.requested(request)))
        await store.send(.withdrawButtonTapped)
        await store.send(.acknowledgeButtonTapped)
        await store.send(.answered(request, .success(alert()))) {
            $0.request = nil
            $0.alert = self.alert()
            $0.isLoading = true
        }
        await store.receive(.alertResponse(.success(alert()))) { $0.isLoading = false }
        #expect(store.state.canAcknowledge)
    }

    @Test(arguments: AlertReport.allCases) func reportIsSentAndShown(report: AlertReport)
        async throws
    {
        let request = Feature.Request(.report(report), to: alertID)
        let reported = alert(report: report.action)
        var withHistory = reported
        withHistory.history = reported.report.map { [$0] } ?? []
        let store = try store(alert()) { [withHistory] in
            $0.alertClient.alert = { _ in withHistory }
        }
        await store.send(.reportButtonTapped(report)) {
            $0.confirmation = .report(report, about: "Ben")
        }
        await store.send(.confirmation(.presented(.reportConfirmed(report)))) {
            $0.confirmation = nil
            $0.request = request
        }
        await store.receive(.delegate(.requested(request)))
        await store.send(.answered(request, .success(reported))) {
            $0.request = nil
            $0.alert = reported
            $0.isLoading = true
        }
        await store.receive(.alertResponse(.success(withHistory))) {
            $0.isLoading = false
            $0.alert = withHistory
        }
        await store.send(.reportButtonTapped(report))
    }

    @Test func unconfirmedReportIsNotSent() async throws {
        let store = try store(alert())
        await store.send(.reportButtonTapped(.foundSafe)) {
            $0.confirmation = .report(.foundSafe, about: "Ben")
        }
        await store.send(.confirmation(.dismiss)) { $0.confirmation = nil }
    }

    @Test func resumeIsSent() async throws {
        let request = Feature.Request(.resume, to: alertID)
        let store = try store(alert(report: .withThem)) { [alert = alert()] in
            $0.alertClient.alert = { _ in alert }
        }
        await store.send(.resumeButtonTapped) { $0.request = request }
        await store.receive(.delegate(.requested(request)))
        await store.send(.answered(request, .success(alert()))) {
            $0.request = nil
            $0.alert = self.alert()
            $0.isLoading = true
        }
        await store.receive(.alertResponse(.success(alert()))) { $0.isLoading = false }
        await store.send(.resumeButtonTapped)
    }

    @Test func failedResponseReloadsTheAlert() async throws {
        let request = Feature.Request(.report(.foundSafe), to: alertID)
        let over = alert(isActive: false)
        let store = try store(alert()) { $0.alertClient.alert = { _ in over } }
        await store.send(.reportButtonTapped(.foundSafe)) {
            $0.confirmation = .report(.foundSafe, about: "Ben")
        }
        await store.send(.confirmation(.presented(.reportConfirmed(.foundSafe)))) {
            $0.confirmation = nil
            $0.request = request
        }
        await store.receive(.delegate(.requested(request)))
        await store.send(.answered(request, .failure(Fixture.notFound))) {
            $0.request = nil
            $0.error = Fixture.notFound
            $0.isLoading = true
        }
        await store.receive(.alertResponse(.success(over))) {
            $0.isLoading = false
            $0.alert = over
        }
    }
}

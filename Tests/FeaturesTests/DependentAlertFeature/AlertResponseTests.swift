import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Ana answers Ben's alert with more than "I'm on it".
@MainActor @Suite struct AlertResponseTests {
    typealias Feature = DependentAlertFeature

    private let alertID: AlertID = Fixture.id(20)

    private func alert(
        takenBy user: UserID? = nil, report: AlertAction.Kind? = nil, of reporter: UserID = Fixture.ana,
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

    private func state(_ alert: AlertRecord?, response: Feature.Response? = nil) throws -> Feature.State {
        .init(
            alertID: alertID, dependent: try Fixture.contact(Fixture.ben, "Ben", isDependent: true),
            alert: alert, ownID: Fixture.ana, response: response)
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

    // MARK: What is offered

    @Test func onlyWhoIsOnItCanWithdraw() throws {
        #expect(try state(alert(takenBy: Fixture.ana)).canWithdraw)
        #expect(try !state(alert(takenBy: Fixture.cleo)).canWithdraw)
        #expect(try !state(alert()).canWithdraw)
        #expect(try !state(alert(takenBy: Fixture.ana, isActive: false)).canWithdraw)
        #expect(try !state(alert(takenBy: Fixture.ana), response: .resume).canWithdraw)
    }

    @Test(arguments: AlertReport.allCases) func anyResponderReportsAndOnlyOnceTheSame(
        report: AlertReport
    ) throws {
        #expect(try state(alert(takenBy: Fixture.cleo)).canReport(report))
        #expect(try state(alert(report: report.action, of: Fixture.cleo)).canReport(report))
        #expect(try !state(alert(report: report.action)).canReport(report))
        #expect(try state(alert(report: report.action)).hasReported(report))
        #expect(try !state(alert(isActive: false)).canReport(report))
        #expect(try !state(nil).canReport(report))
    }

    @Test func aReportPausesForTwelveHoursAndCanBeUndone() throws {
        let paused = try state(alert(report: .foundSafe, of: Fixture.cleo))
        #expect(paused.canResume && paused.pausedUntil == Fixture.now.adding(.hours(12)))
        #expect(try !state(alert()).canResume)
        let over = try state(alert(report: .foundSafe, isActive: false))
        #expect(!over.canResume && over.pausedUntil == nil)
    }

    // MARK: What is sent

    @Test func iCanNotAfterAll() async throws {
        let gate = Gate<AlertRecord>()
        let store = try store(alert(takenBy: Fixture.ana)) {
            $0.alertClient.withdraw = { _ in try await gate.wait() }
        }
        await store.send(.withdrawButtonTapped) { $0.response = .withdraw }
        await store.send(.withdrawButtonTapped)
        await store.send(.acknowledgeButtonTapped)
        gate.open(alert())
        await store.receive(.responseSent(.success(alert()))) {
            $0.response = nil
            $0.alert = self.alert()
        }
        #expect(gate.calls.value == 1 && store.state.canAcknowledge)
    }

    @Test(arguments: AlertReport.allCases) func aReportIsSentAndShown(report: AlertReport) async throws {
        let reported = alert(report: report.action)
        let store = try store(alert()) {
            $0.alertClient.report = { id, sent in
                #expect(id == Fixture.id(20) && sent == report)
                return reported
            }
        }
        await store.send(.reportButtonTapped(report)) { $0.response = .report(report) }
        await store.receive(.responseSent(.success(reported))) {
            $0.response = nil
            $0.alert = reported
        }
        await store.send(.reportButtonTapped(report))
    }

    @Test func everyoneIsAlertedAgain() async throws {
        let store = try store(alert(report: .withThem)) { [alert = alert()] in
            $0.alertClient.resume = { _ in alert }
        }
        await store.send(.resumeButtonTapped) { $0.response = .resume }
        await store.receive(.responseSent(.success(alert()))) {
            $0.response = nil
            $0.alert = self.alert()
        }
        await store.send(.resumeButtonTapped)
    }

    @Test func aFailureIsSaidAndTheAlertIsLookedAtAgain() async throws {
        let over = alert(isActive: false)
        let store = try store(alert()) {
            $0.alertClient.report = { _, _ in throw Fixture.notFound }
            $0.alertClient.alert = { _ in over }
        }
        await store.send(.reportButtonTapped(.foundSafe)) { $0.response = .report(.foundSafe) }
        await store.receive(.responseSent(.failure(Fixture.notFound))) {
            $0.response = nil
            $0.error = Fixture.notFound
            $0.isLoading = true
        }
        await store.receive(.alertResponse(.success(over))) {
            $0.isLoading = false
            $0.alert = over
        }
    }

    @Test func closingTheSheetDoesNotTakeTheReportBack() async throws {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let (ends, ended) = AsyncStream<Bool>.makeStream()
        let gate = Gate<AlertRecord>()
        let sheet = try state(alert())
        let store = TestStore(initialState: DependentsFeature.State(dependentAlert: sheet)) {
            DependentsFeature()
        } withDependencies: {
            $0.alertClient.report = { _, _ in
                started.yield()
                let result = try await gate.wait()
                ended.yield(Task.isCancelled)
                return result
            }
        }
        store.exhaustivity = .off
        await store.send(.dependentAlert(.presented(.reportButtonTapped(.withThem))))
        for await _ in starts { break }
        await store.send(.dependentAlert(.dismiss))
        gate.open(alert(report: .withThem))
        for await isCancelled in ends {
            #expect(!isCancelled)
            break
        }
    }
}

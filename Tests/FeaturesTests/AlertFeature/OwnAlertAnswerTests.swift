import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Tests what the owner of an alert sees of the responders' reports and refusals.
@MainActor
@Suite struct OwnAlertAnswerTests {
    private func action(_ kind: AlertAction.Kind, _ name: String = "Ben") -> AlertAction {
        AlertAction(
            kind: kind, responderId: Fixture.ben.description, name: name, time: Fixture.now)
    }

    private func alert(_ change: (inout AlertRecord) -> Void = { _ in }) -> AlertRecord {
        var alert = Fixture.alert(7)
        change(&alert)
        return alert
    }

    @Test func reportIsShownAsReport() {
        let state = AlertFeature.State.active()
        let reported = alert { $0.report = action(.foundSafe) }
        #expect(state.reportWords(of: reported) == "Ben reports that you are safe")
        #expect(state.reportWords(of: alert()) == nil)
    }

    @Test func refusalsAreNamed() {
        let state = AlertFeature.State.active()
        #expect(state.noAnswerWords(to: alert()) == state.noAnswerWords)
        var some = alert { $0.refusals = [action(.declined)] }
        #expect(state.noAnswerWords(to: some).hasPrefix("Ben can’t come. No one else is on it"))
        some.isRefusedByAll = true
        let all = state.noAnswerWords(to: some)
        #expect(all.hasPrefix("Your responders can’t come"))
        #expect(all.contains("Call for help directly") && !all.contains("alerted again"))
        // While a report is in force, the server names no refusals.
        some.refusals = nil
        #expect(state.noAnswerWords(to: some) == all)
    }

    @Test func failedMessagesPromiseNoHelp() {
        let state = AlertFeature.State.active()
        var unheard = alert { $0.isUnheard = true }
        let failed = "Call for help directly."
        #expect(
            state.noAnswerWords(to: unheard)
                == "No one is on it yet. No message reaches your responders. \(failed)")
        #expect(state.isUnheard(unheard) && !state.isUnheard(alert()))
        unheard.refusals = [action(.declined)]
        #expect(
            state.noAnswerWords(to: unheard)
                == "Ben can’t come. No message reaches your other responders. \(failed)")
    }

    @Test func anAlertIsSentWhenTheServerHasIt() {
        var state = AlertFeature.State.active()
        #expect(state.sentWords == "Your alert was sent.")
        state.isSendingStart = true
        #expect(state.sentWords == "")
        #expect(AlertFeature.State(isActivatingAlert: true).sentWords == "")
    }

    @Test func ownerCanResumeTheAlert() async {
        let reported = alert { $0.report = action(.foundSafe) }
        var state = AlertFeature.State.active()
        state.alertHistory = [reported]
        let (answer, asked) = (alert(), LockIsolated<[AlertID]>([]))
        let store = alertStore(state) {
            $0.alertClient.resume = { id in
                asked.withValue { $0.append(id) }
                return answer
            }
        }
        await store.send(.resumeButtonTapped(reported.id)) { $0.resumingAlert = reported.id }
        #expect(store.state.resumeWords(of: reported) == "Alerting everyone …")
        await store.receive(\.resumeResponse) {
            $0.resumingAlert = nil
            $0.alertHistory = [answer]
        }
        #expect(asked.value == [Fixture.id(7)])
    }

    @Test func liftingPromisesNoAlarmWhileAnotherIsOnIt() {
        let words = "That is not true"
        for (helper, isAlarm) in [(nil, true), (Fixture.ben, true), (Fixture.cleo, false)] {
            let reported = alert {
                $0.report = action(.foundSafe)
                $0.acknowledgement = helper.map {
                    .init(
                        responderId: $0.description, name: "Helper", time: Fixture.now,
                        afterSeconds: 1)
                }
            }
            let expected = isAlarm ? "\(words): alert everyone again" : words
            #expect(AlertFeature.State.active().resumeWords(of: reported) == expected)
        }
    }

    @Test(arguments: [AlertKind.manual, .missedCheckIn])
    func olderPageDoesNotBringTheReportBack(_ kind: AlertKind) async {
        let reported = alert {
            $0.kind = kind
            $0.report = action(.foundSafe)
        }
        var state = kind == .manual ? AlertFeature.State.active() : AlertFeature.State()
        state.alertHistory = [reported]
        if kind == .missedCheckIn { state.missedCheckIn = reported }
        let (answer, loads) = (alert { $0.kind = kind }, LockIsolated(0))
        let gate = Gate<ListPage<AlertRecord>>()
        let store = alertStore(state) {
            $0.alertClient.resume = { _ in answer }
            $0.alertClient.history = { _ in
                let number = loads.withValue { count in
                    count += 1
                    return count
                }
                return number == 1 ? try await gate.wait() : ListPage(items: [answer])
            }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.send(.resumeButtonTapped(reported.id))
        await store.receive(\.resumeResponse)
        gate.open(ListPage(items: [reported]))
        await store.receive(\.alertHistoryResponse)
        await store.send(.onDisappear)
        await store.finish()
        #expect(store.state.alertHistory == [answer])
        #expect(loads.value == 2)
    }

    @Test func changeFromTheStreamOvertakesAStatusOnItsWay() async {
        let reported = alert { $0.report = action(.foundSafe) }
        var state = AlertFeature.State.active()
        state.alertHistory = [reported]
        let gate = Gate<ListPage<AlertRecord>>()
        let store = alertStore(state) { $0.alertClient.history = { _ in try await gate.wait() } }
        store.exhaustivity = .off
        await store.send(.loadAlertStatus)
        await store.send(.alertsUpdated([alert()]))
        gate.open(ListPage(items: [reported]))
        await store.finish()
        #expect(store.state.alertHistory == [alert()])
    }

    @Test func deliveriesAreLoadedAgainWhenTheAlertChanges() async {
        let reported = alert { $0.report = action(.foundSafe) }
        var state = AlertFeature.State.active()
        (state.alertHistory, state.followedAlert, state.timesShown) = ([alert()], alert().id, 1)
        let details = alert {
            $0.report = action(.foundSafe)
            $0.history = [action(.foundSafe)]
        }
        let store = alertStore(state) { $0.alertClient.alert = { _ in details } }
        store.exhaustivity = .off
        await store.send(.alertsUpdated([alert()]))
        await store.send(.alertsUpdated([reported]))
        await store.receive(\.alertDetailsResponse.success)
        #expect(store.state.alertHistory == [details])
        await store.send(.onDisappear)
        await store.finish()
    }

    @Test func sameListAgainLoadsNothing() async {
        let missed = alert { $0.kind = .missedCheckIn }
        var details = missed
        details.history = [action(.declined)]
        var state = AlertFeature.State()
        (state.missedCheckIn, state.alertHistory) = (missed, [details])
        (state.followedAlert, state.timesShown, state.isLoadingHistory) = (missed.id, 1, true)
        // A load would fail the test, because the store has no client for it.
        let store = alertStore(state)
        await store.send(.alertsUpdated([missed]))
    }

    @Test func changeLoadsNoDeliveriesWhileTheAppIsInactive() async {
        var state = AlertFeature.State.active()
        (state.alertHistory, state.followedAlert, state.timesShown) = ([alert()], alert().id, 1)
        let store = alertStore(state)
        store.exhaustivity = .off
        await store.send(.appBecameInactive)
        await store.send(.alertsUpdated([alert { $0.report = action(.foundSafe) }]))
        await store.send(.onDisappear)
        await store.finish()
        #expect(store.state.alertHistory.first?.report != nil)
    }

    @Test func changeKeepsTheLaterPageThatLoads() async {
        var state = AlertFeature.State.active()
        (state.alertHistory, state.nextHistoryPage) = ([alert()], "2")
        let (gate, asked) = (Gate<ListPage<AlertRecord>>(), LockIsolated<[String?]>([]))
        let store = alertStore(state) {
            $0.alertClient.history = { page in
                asked.withValue { $0.append(page) }
                return try await gate.wait()
            }
        }
        store.exhaustivity = .off
        await store.send(.loadMoreAlertHistory)
        await store.send(.alertsUpdated([alert { $0.report = action(.foundSafe) }]))
        gate.open(ListPage(items: [Fixture.alert(3, end: Fixture.now)]))
        await store.receive(\.alertHistoryResponse)
        await store.finish()
        #expect(store.state.alertHistory.map(\.id) == [alert().id, Fixture.alert(3).id])
        #expect(asked.value == ["2"])
    }

    @Test func firstPageThatReplacesALaterOneIsRepeated() async {
        var state = AlertFeature.State.active()
        (state.alertHistory, state.nextHistoryPage) = ([alert()], "2")
        let store = alertStore(state) {
            $0.alertClient.history = { _ in try await Gate<ListPage<AlertRecord>>().wait() }
        }
        store.exhaustivity = .off
        await store.send(.loadMoreAlertHistory)
        #expect(store.state.isLoadingMore)
        await store.send(.onAppear)
        #expect(store.state.isLoadingHistory && !store.state.isLoadingMore)
        await store.send(.onDisappear)
        await store.finish()
    }

    @Test func secondResumeIsIgnored() async {
        var state = AlertFeature.State.active()
        state.resumingAlert = alert().id
        let store = alertStore(state)
        await store.send(.resumeButtonTapped(alert().id))
    }

    @Test func ownerCanResumeAMissedCheckInAlert() async {
        let reported = alert {
            $0.kind = .missedCheckIn
            $0.report = action(.withThem)
        }
        var state = AlertFeature.State()
        state.missedCheckIn = reported
        let answer = alert { $0.kind = .missedCheckIn }
        let store = alertStore(state) { $0.alertClient.resume = { _ in answer } }
        store.exhaustivity = .off
        await store.send(.resumeButtonTapped(reported.id))
        await store.receive(\.resumeResponse)
        #expect(store.state.missedCheckIn == answer)
    }

    @Test func failedResumeShowsAnError() async {
        let store = alertStore(.active()) {
            $0.alertClient.resume = { _ in throw Fixture.refused }
        }
        await store.send(.resumeButtonTapped(alert().id)) { $0.resumingAlert = self.alert().id }
        await store.receive(\.resumeResponse) {
            $0.resumingAlert = nil
            $0.error = Fixture.refused.text
        }
    }

    @Test func refusalDoesNotCountAsAnswered() {
        let entries: [AlertRecord.LedgerEntry] = [.acknowledged, .accepted].map {
            .init(
                recipientId: Fixture.ben.description, name: "Ben", channel: .webPush, state: $0,
                time: Fixture.now, attempts: 1)
        }
        #expect(LedgerRow.rows(of: entries).first?.words.last == "answered")
        let helping = LedgerRow.rows(of: entries, actions: [action(.acknowledged)])
        #expect(helping.first?.words.last == "answered")
        let refusing = LedgerRow.rows(
            of: entries, actions: [action(.acknowledged), action(.withdrew)])
        #expect(refusing.first?.words == ["sent to the browser", "can’t come"])
    }
}

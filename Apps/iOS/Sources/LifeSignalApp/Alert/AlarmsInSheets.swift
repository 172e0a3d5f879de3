import ComposableArchitecture
import Domain
import Features
import Foundation
import SwiftUI

/// What a sheet needs to show alarms and the alert button, because it covers those of the tabs.
struct Alarms {
    let store: StoreOf<MainTabFeature>
    /// When the device last heard from the server; nil while the server is reachable.
    let knownUntil: Date?
    /// The open sheets, the lowest first.
    let sheets: Binding<[UUID]>
}

private struct AlarmsKey: EnvironmentKey {
    static var defaultValue: Alarms? { nil }
}

extension EnvironmentValues {
    /// Nil outside the tabs.
    var alarms: Alarms? {
        get { self[AlarmsKey.self] }
        set { self[AlarmsKey.self] = newValue }
    }
}

/// The dependents who need help, at the top of a sheet. The covered screen announces them.
struct TroubleInSheet: View {
    /// The person whose alerts the sheet shows; nil in other sheets.
    let subject: UserID?
    @Environment(\.alarms) private var alarms

    var body: some View {
        if let alarms {
            ForEach(alarms.store.dependents.inTrouble.filter { $0.id != subject }) { person in
                card(person, alarms.store, alarms.knownUntil)
            }
        }
    }

    private func card(
        _ person: ContactData, _ store: StoreOf<MainTabFeature>, _ knownUntil: Date?
    ) -> some View {
        let helper = store.state.helperWords(for: person)
        return Card(tone: .critical) {
            HStack(spacing: 8) {
                Symbol.alert.picture
                Text(store.state.trouble(of: person, knownUntil: knownUntil)).bold()
            }
            if let helper { Banner(.fine, .check) { Text(helper).bold() } }
            WideButton("See the alert", kind: .primary) { store.send(.alertTapped(person)) }
                .accessibilityLabel("See \(person.displayName)’s alert")
        }
    }
}

/// The user's own open alerts and the alert button, at the bottom of a sheet.
struct AlertInSheet: View {
    @Environment(\.alarms) private var alarms
    @State private var id = UUID.random()

    var body: some View {
        if let alarms {
            let alert = alarms.store.scope(state: \.home.alert, action: \.home.alert)
            VStack(spacing: 0) {
                OwnAlarms(store: alert) { alarms.store.send(.opened(.home)) }
                AlertBar(store: alert, isInFront: alarms.sheets.wrappedValue.last == id)
            }
            .frame(maxWidth: .infinity)
            .background(Color.ground)
            .onAppear { alarms.sheets.wrappedValue.append(id) }
            .onDisappear { alarms.sheets.wrappedValue.removeAll { $0 == id } }
        }
    }
}

/// The user's own open alerts in a few lines each. The covered screen announces them.
private struct OwnAlarms: View {
    let store: StoreOf<AlertFeature>
    /// Closes the sheet, and opens Home.
    let show: @MainActor () -> Void

    var body: some View {
        if store.isOnOrBeingRaised {
            notice("Your alert is on", since: store.alertStartTime, show: "Go to your alert") {
                if let words = store.waitingWords { Text(words) }
            }
        }
        if let missed = store.missedCheckIn {
            notice("You missed your check-in", since: missed.shownStart)
        }
        if let overdue = store.overdueJourney {
            notice(JourneyWords.notBack(from: overdue.journey), since: overdue.startTime)
        }
        if let end = store.endElsewhere, !store.isOnOrBeingRaised {
            notice(end.title, since: nil)
        }
    }

    private func notice<Details: View>(
        _ words: String, since start: Date?, show button: String = "See what to do",
        @ViewBuilder details: () -> Details = { EmptyView() }
    ) -> some View {
        let details = details()
        return Banner(.critical, .alert) {
            VStack(alignment: .leading, spacing: 4) {
                HStack(spacing: 8) {
                    Text(words).bold()
                    if let start { Text.stopwatch(since: start) }
                }
                details
                Button(button, action: show).buttonStyle(.bordered).frame(minHeight: 44)
            }
        }
        .frame(maxWidth: PageWidth.text)
        .padding(.horizontal, 16)
        .padding(.top, 6)
    }
}

extension MainTabFeature.State {
    /// Returns, for example, "Ana has raised an alert".
    /// - Parameter knownUntil: when the device last heard from the server; nil while the server is
    ///   reachable.
    func trouble(of person: ContactData, knownUntil: Date?) -> String {
        person.watch?.isUnconfirmed(knownUntil: knownUntil) == true
            ? person.unconfirmedWords : troubleWords(for: person)
    }
}

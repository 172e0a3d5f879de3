import ComposableArchitecture
import Domain
import Features
import SwiftUI

struct AlertReports: View {
    let alert: AlertRecord
    let store: StoreOf<DependentAlertFeature>

    var body: some View {
        if alert.isActive {
            Card {
                Heading("What did you find?")
                pause
                Quiet(store.reportHint)
                ForEach(AlertReport.allCases, id: \.self) { report in
                    WideButton(store.state.words(for: report)) {
                        store.send(.reportButtonTapped(report))
                    }
                    .accessibilityAddTraits(
                        store.state.hasReported(report) ? .isSelected : AccessibilityTraits()
                    )
                    .disabled(!store.state.canReport(report))
                }
            }
        }
    }

    @ViewBuilder private var pause: some View {
        if let report = alert.report, let end = store.pausedUntil {
            let words = store.state.words(for: report)
            Banner(.warning, .bell) {
                Text(words).bold() + Text(verbatim: " · ") + .since(report.time)
            }
            .announced(words)
            Text("No one is alerted again until ") + .moment(end) + Text(verbatim: ".")
            WideButton(store.resumeWords, .bell) {
                store.send(.resumeButtonTapped)
            }
            .disabled(!store.canResume)
        }
    }
}

struct AlertActions: View {
    let store: StoreOf<DependentAlertFeature>

    var body: some View {
        if let timeline = store.state.timeline {
            Card {
                Heading("What happened")
                TimelineList(timeline: timeline)
            }
        }
    }
}

import Domain
import Features
import Foundation
import LivePages

extension DependentAlertFeature {
    static func reports(_ alert: AlertRecord, _ state: State) -> HTML<Action> {
        guard alert.isActive else { return .empty }
        return section(.class("card"), .labelled(by: "alert-report-title")) {
            h3(.id("alert-report-title")) { "What did you find?" }
            announcement(.polite, .class("notice")) { pause(alert, state) }
            p(.class("hint")) { state.reportHint }
            div(.class("stack")) {
                for report in AlertReport.allCases {
                    actionButton(
                        state.words(for: report), class: "wide", .reportButtonTapped(report)
                    )
                    .attributes(.pressed(state.hasReported(report)))
                    .disabled(!state.canReport(report))
                }
            }
        }
        .key("reports")
    }

    private static func pause(_ alert: AlertRecord, _ state: State) -> HTML<Action> {
        guard let report = alert.report, let end = state.pausedUntil else { return .empty }
        return div(.class("stack")) {
            p(.class("banner")) {
                icon(.bell)
                span {
                    strong { state.words(for: report) }
                    " · "
                    moment(report.time, .absolute)
                }
            }
            p {
                "No one is alerted again until "
                moment(end, .absolute)
                "."
            }
            actionButton(
                state.resumeWords, .bell,
                class: "wide", .resumeButtonTapped
            )
            .disabled(!state.canResume)
        }
    }

    static func history(_ state: State) -> HTML<Action> {
        guard let timeline = state.timeline else { return .empty }
        return section(.class("card"), .labelled(by: "alert-history-title")) {
            h3(.id("alert-history-title")) { "What happened" }
            timelineList(timeline)
        }
        .key("history")
    }
}

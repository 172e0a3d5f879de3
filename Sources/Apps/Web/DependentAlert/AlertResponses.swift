import Domain
import Features
import Foundation
import LivePages

/// The responder's reports, and those made so far.
extension DependentAlertFeature {
    static func reports(_ alert: AlertRecord, _ state: State) -> HTML<Action> {
        guard alert.isActive else { return .empty }
        return section(.class("card"), .labelled(by: "alert-report-title")) {
            h3(.id("alert-report-title")) { "What did you find?" }
            announcement(.polite, .class("notice")) { pause(alert, state) }
            p(.class("hint")) {
                "Everyone sees your report. The alert stays open until "
                    + "\(state.displayName) ends it."
            }
            div(.class("stack")) {
                for report in AlertReport.allCases {
                    actionButton(
                        state.response == .report(report) ? "Telling everyone …" : report.title,
                        class: "wide", .reportButtonTapped(report)
                    )
                    .attributes(.pressed(state.hasReported(report)))
                    .disabled(!state.canReport(report))
                }
            }
        }
        .key("reports")
    }

    /// The report that counts now, and until when it keeps the others from being alerted again.
    private static func pause(_ alert: AlertRecord, _ state: State) -> HTML<Action> {
        guard let report = alert.report, let end = state.pausedUntil else { return .empty }
        return div(.class("stack")) {
            p(.class("banner fine")) {
                icon(.check)
                span {
                    strong { words(report, state) }
                    " · "
                    moment(report.time, .relative)
                }
            }
            p {
                "No one is alerted again until "
                moment(end, .absolute)
                "."
            }
            actionButton(
                state.response == .resume ? "Alerting everyone …" : "Alert everyone again", .bell,
                class: "wide", .resumeButtonTapped
            )
            .disabled(!state.canResume)
        }
    }

    /// Oldest first, as it happened.
    static func history(_ alert: AlertRecord, _ state: State) -> HTML<Action> {
        guard !alert.history.isEmpty else { return .empty }
        return section(.class("card"), .labelled(by: "alert-history-title")) {
            h3(.id("alert-history-title")) { "What happened" }
            ul(.class("list")) {
                for action in alert.history {
                    li {
                        strong { words(action, state) }
                        span(.class("quiet")) {
                            " · "
                            moment(action.time, .absolute)
                        }
                    }
                }
            }
        }
        .key("history")
    }

    private static func words(_ action: AlertAction, _ state: State) -> String {
        let words = action.kind.words(
            by: state.isOwn(action) ? nil : ProfileRules.displayName(action.name),
            about: state.displayName)
        return action.means.map { "\(words), \($0)" } ?? words
    }
}

extension AlertReport {
    /// The words on a button.
    var title: String {
        switch self {
        case .withThem: "I’m with them"
        case .foundSafe: "Found safe"
        case .emergencyServicesCalled: "Emergency services called"
        }
    }
}

extension AlertAction.Kind {
    /// - Parameters:
    ///   - name: the responder's; nil for the reader.
    ///   - dependent: the person who needs help.
    func words(by name: String?, about dependent: String) -> String {
        let (person, are) = (name ?? "You", name == nil ? "are" : "is")
        return switch self {
        case .acknowledged: "\(person) took it on"
        case .confirmed: "\(person) \(are) still on it"
        case .withdrew: "\(person) \(are) no longer on it"
        case .lapsed: "\(person) did not confirm"
        case .withThem: "\(person) \(are) with \(dependent)"
        case .foundSafe: "\(person) found \(dependent) safe"
        case .emergencyServicesCalled: "\(person) called emergency services"
        case .resumed: "\(person) had everyone alerted again"
        case .declined: "\(person) can’t"
        }
    }
}

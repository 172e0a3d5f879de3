import Domain
import Features
import LivePages

extension AdministrationFeature {
    static func view(_ state: State) -> HTML<Action> {
        section(.class("card"), .labelled(by: "administration-title")) {
            h2(.id("administration-title")) { AdministrationFeature.title }
            errorNotice(state.error, dismiss: .dismissError)
            announcement(.polite, .class("notice")) {
                if let maintenance = state.maintenance { period(maintenance) }
                if state.lockedAt != nil { p { AdministrationFeature.locked } }
                if let move = state.move { change(move, state) }
            }
            p { AdministrationFeature.hint }
            if let acts = state.acts {
                list(acts)
            } else if state.error == nil {
                loadingLine()
            } else {
                actionButton("Load again", .retryButtonTapped)
            }
        }
        .key("administration").onAppear(.onAppear).onDisappear(.onDisappear)
    }

    /// The notices on the first page.
    static func notices<Other>(_ notices: AccountNotices) -> HTML<Other> {
        announcement(.polite, .class("notice")) {
            if let maintenance = notices.maintenance { period(maintenance) }
            if notices.isLocked { p { AdministrationFeature.locked } }
            if let move = notices.move {
                p {
                    "\(AdministrationFeature.moveTitle) \(move.phoneNumber.text), "
                    moment(move.takesEffectAt, .absolute)
                }
                p { AdministrationFeature.moveInSettings }
            }
        }
        .key("account-notices")
    }

    private static func period<Other>(_ maintenance: Maintenance) -> HTML<Other> {
        p {
            "\(AdministrationFeature.maintenanceTitle): "
            moment(maintenance.from, .absolute)
            " – "
            moment(maintenance.until, .absolute)
        }
    }

    private static func change(_ move: NumberMove, _ state: State) -> HTML<Action> {
        div(.class("stack")) {
            p {
                "\(AdministrationFeature.moveTitle) \(move.phoneNumber.text), "
                moment(move.takesEffectAt, .absolute)
            }
            p { AdministrationFeature.moveHint }
            actionButton(state.stopWords, class: "primary wide", .stopMoveButtonTapped)
                .disabled(state.isStopping)
        }
        .key("number-move")
    }

    private static func list(_ acts: [AdminAct]) -> HTML<Action> {
        guard !acts.isEmpty else { return p(.class("quiet")) { AdministrationFeature.noActs } }
        return ul(.class("list")) {
            for act in acts {
                li(.class("row")) {
                    div(.class("grow")) {
                        strong { act.kind.words }
                        p { act.reason }
                        p(.class("hint")) {
                            moment(act.time, .absolute)
                            ", \(act.doneBy)"
                        }
                    }
                }
                .key("\(act.id)")
            }
        }
        .key("administrator-acts")
    }
}

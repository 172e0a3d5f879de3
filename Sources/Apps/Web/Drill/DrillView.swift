import Domain
import Features
import LivePages

extension DrillFeature {
    static func view(_ state: State) -> HTML<Action> {
        section(.class("card"), .labelled(by: "drill-title")) {
            h2(.id("drill-title")) { "Would they hear you?" }
            errorNotice(state.error, dismiss: .dismissError)
            p(.class("hint")) {
                """
                A drill sends your responders a message that is marked as a drill. You see who \
                answers, how, and how fast.
                """
            }
            announcement(.polite, .class("notice")) {
                if let own = state.own {
                    p { strong { state.ownWords ?? "" } }
                    if let words = own.endWords { p(.class("quiet")) { words } }
                }
            }
            .key("drill-news")
            if let own = state.own { answers(own) }
            if state.isRunning {
                actionButton("Stop the drill", .close, class: "wide", .stopButtonTapped)
                    .disabled(state.isBusy)
            } else {
                actionButton("Start a drill", .bell, class: "wide", .startButtonTapped)
                    .disabled(!state.mayStart)
                if let own = state.own, !state.mayStart, !state.isBusy {
                    p(.class("quiet")) {
                        "You can start the next one "
                        moment(own.nextStart, .when)
                    }
                }
            }
            confirmation(state.confirmation, id: "drill-question").map { .confirmation($0) }
        }
        .onAppear(.onAppear).onDisappear(.onDisappear)
        .key("drill")
    }

    private static func answers(_ drill: DrillRecord) -> HTML<Action> {
        ul(.class("list"), .label("Answers to the drill")) {
            for answer in drill.answers {
                li(.class("row")) {
                    strong(.class("grow")) { ProfileRules.displayName(answer.name) }
                    if let words = drill.words(for: answer) {
                        span { "Got it, \(words)" }
                    } else {
                        span(.class("quiet")) { drill.silence(of: answer) }
                    }
                }
                .key("drill-\(answer.personID)")
            }
        }
        .key("drill-answers")
    }

    /// - Parameter questions: the questions of `state` to show.
    static func questions(_ questions: [DrillQuestion], _ state: State) -> HTML<Action> {
        div {
            errorNotice(state.error, dismiss: .dismissError)
            announcement(.polite, .class("notice")) {
                for question in questions { card(question, state) }
            }
            .key("drill-questions")
        }
        .onAppear(.onAppear).onDisappear(.onDisappear)
        .key("drills")
    }

    private static func card(_ question: DrillQuestion, _ state: State) -> HTML<Action> {
        let name = ProfileRules.displayName(question.name)
        return section(.class("card"), .label("Drill by \(name)")) {
            p(.class("row")) {
                icon(.bell)
                strong(.class("grow")) { "This is a drill by \(name)" }
            }
            p { "\(name) does not need help. They want to know whether a message reaches you." }
            actionButton("Got it", .check, class: "primary wide", .answerButtonTapped(question.id))
                .attributes(.label("Got it: answer the drill by \(name)"))
                .disabled(state.answering.contains(question.id))
        }
        .key("drill-\(question.id)")
    }
}

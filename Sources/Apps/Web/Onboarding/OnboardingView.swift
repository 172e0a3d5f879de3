import Domain
import Features
import LivePages

extension OnboardingFeature {
    static func view(_ state: State) -> HTML<Action> {
        main(.id("content"), .class("narrow")) {
            form(.class("stack"), .depth(state.step.rawValue)) {
                p(.class("quiet")) { state.stepWords }
                title(state.title)
                step(state)
                errorNotice(
                    state.hasFieldOfItsOwn ? state.error?.outsideOfFields : state.error,
                    dismiss: .dismissError)
                if state.step != .checkIn, state.step != .responder {
                    submitButton("Continue", isEnabled: !state.isLoading)
                }
                if state.step != .name, state.step != .responder {
                    actionButton("Back", .back, class: "plain", .backButtonTapped)
                        .attributes(.goesBack)
                        .disabled(!state.canGoBack)
                }
            }
            .onSubmit(state.step == .checkIn ? .checkInButtonTapped : .nextButtonTapped)
            .key("step-\(state.step.rawValue)")
        }
        // In the last step, the server has all texts.
        .attribute(state.step == .responder ? nil : Attribute.steps)
        .key("onboarding").onAppear(.onAppear)
    }

    private static func step(_ state: State) -> HTML<Action> {
        switch state.step {
        case .name: name(state)
        case .emergencyNote: emergencyNote(state)
        case .schedule: schedule(state)
        case .reminders: reminders(state)
        case .checkIn: checkIn(state)
        case .responder: responder(state)
        }
    }

    /// The title of a step. It takes the focus when the step appears, so that a screen reader reads
    /// it out first.
    private static func title(_ text: String) -> HTML<Action> {
        h1(.plain(.tabindex, "-1"), .focusWhenShown) { text }
    }

    private static func name(_ state: State) -> HTML<Action> {
        group {
            field(
                "Name", id: "name", hint: "Your contacts see it.", error: state.error?.fieldWords,
                control: input(
                    .type("text"), .name("name"), .plain(.autocomplete, "name"), .draft,
                    .value(state.name)
                )
                .disabled(state.isLoading).onInput { .nameChanged($0) }
            )
        }
    }

    private static func emergencyNote(_ state: State) -> HTML<Action> {
        group {
            field(
                "Emergency note", id: "emergency-note",
                hint:
                    """
                    For example illnesses, medicines, who has a key. Of your contacts, only your \
                    responders can read it. Optional.
                    """,
                error: state.error?.fieldWords,
                control: textarea(.name("note"), .plain(.rows, "6"), .draft) {
                    state.emergencyNote
                }
                .disabled(state.isLoading).onLongInput { .emergencyNoteChanged($0) }
            )
            if let words = state.copyWords {
                p { words }
                checkbox(
                    CopyWords.leaveNoteOut, isOn: state.leavesNoteOutOfCopy,
                    isDisabled: state.isLoading
                ) { _ in .leaveNoteOutToggled }
            }
        }
    }

    private static func schedule(_ state: State) -> HTML<Action> {
        group {
            p { "If you don’t check in by your deadline, your responders are told." }
            scheduleFields(
                state.schedule, isCompact: true, showsError: state.error != nil
            ).map(Action.schedule)
            scheduleQuestion(state.schedule).map(Action.schedule)
        }
    }

    private static func reminders(_ state: State) -> HTML<Action> {
        reminderChoice(state.schedule).map(Action.schedule)
    }

    private static func checkIn(_ state: State) -> HTML<Action> {
        group {
            p { state.firstCheckInWords }
            div(.class("check-in")) {
                div(.class("ring")) {
                    button(.type("submit"), .class("check-in-button")) {
                        icon(.check)
                        state.checkInButtonWords
                    }
                    .disabled(!state.canContinue)
                }
            }
        }
    }

    private static func responder(_ state: State) -> HTML<Action> {
        group {
            p {
                """
                If you miss a check-in or call for help, we tell your responders. You have none \
                yet. Let somebody scan your code, or send them its link.
                """
            }
            p { QRCodeFeature.disclosure }
            actionButton(
                "Show my code", .scan, class: "primary wide", .firstResponderChosen(.showCode))
            actionButton("Scan someone’s code", class: "wide", .firstResponderChosen(.scanCode))
            actionButton(
                InvitationsFeature.inviteWords, class: "wide", .firstResponderChosen(.invite))
            // After a check-in, the browser's Back continues instead of leaving the app.
            actionButton("Later", class: "plain", .firstResponderChosen(.later))
                .attributes(.goesBack)
            PasskeysFeature.offer(state.passkeys).map { .passkeys($0) }
        }
    }
}

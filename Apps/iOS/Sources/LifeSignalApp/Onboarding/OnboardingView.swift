import ComposableArchitecture
import Domain
import Features
import SwiftUI
import UIKit

struct OnboardingView: View {
    @Bindable var store: StoreOf<OnboardingFeature>

    var body: some View {
        Group {
            Quiet(store.stepWords)
            Heading(store.title)
            step
            ErrorNotice(store.hasFieldOfItsOwn ? store.error?.outsideOfFields : store.error) {
                store.send(.dismissError)
            }
            if store.step != .checkIn, store.step != .responder {
                SubmitButton("Continue", isEnabled: !store.isLoading) {
                    store.send(.nextButtonTapped)
                }
            }
            if store.step != .name, store.step != .responder {
                WideButton("Back", .back, kind: .plain) { store.send(.backButtonTapped) }
                    .disabled(!store.canGoBack)
            }
        }
        .onAppear { store.send(.onAppear) }
    }

    @ViewBuilder private var step: some View {
        switch store.step {
        case .name: name
        case .emergencyNote: emergencyNote
        case .schedule: schedule
        case .reminders: reminders
        case .checkIn: checkIn
        case .responder: responder
        }
    }

    @ViewBuilder private var name: some View {
        Field(
            "Name", text: $store.name.sending(\.nameChanged), hint: "Your contacts see it.",
            error: store.error?.fieldWords
        )
        .textContentType(.name)
        .disabled(store.isLoading)
    }

    @ViewBuilder private var emergencyNote: some View {
        Field(
            "Emergency note", text: $store.emergencyNote.sending(\.emergencyNoteChanged),
            hint: """
                For example illnesses, medicines, who has a key. Of your contacts, only your \
                responders can read it. Optional.
                """,
            error: store.error?.fieldWords, lines: 6
        )
        .disabled(store.isLoading)
        if let words = store.copyWords {
            Text(words)
            Toggle(
                CopyWords.leaveNoteOut,
                isOn: $store[value: \.leavesNoteOutOfCopy, toggle: \.leaveNoteOutToggled]
            )
            .disabled(store.isLoading)
        }
    }

    private var schedule: some View {
        ScheduleFields(
            store: store.scope(state: \.schedule, action: \.schedule), isCompact: true,
            showsError: store.error != nil)
    }

    @ViewBuilder private var reminders: some View {
        if store.schedule.kind == .none {
            Text(ScheduleWords.noDeadlines)
        } else {
            ReminderChoice(store: store.scope(state: \.schedule, action: \.schedule))
        }
    }

    @ViewBuilder private var checkIn: some View {
        Text(store.firstCheckInWords)
        RingButton(
            title: store.checkInButtonWords, span: nil,
            isEnabled: store.canContinue
        ) {
            store.send(.checkInButtonTapped)
        }
    }

    @ViewBuilder private var responder: some View {
        Text(
            """
            If you miss a check-in or call for help, we tell your responders. You have none \
            yet. Let somebody scan your code, or send them its link.
            """)
        Text(QRCodeFeature.disclosure)
        WideButton("Show my code", .scan, kind: .primary) {
            store.send(.firstResponderChosen(.showCode))
        }
        WideButton("Scan someone’s code") { store.send(.firstResponderChosen(.scanCode)) }
        WideButton(InvitationsFeature.inviteWords) { store.send(.firstResponderChosen(.invite)) }
        WideButton("Later", kind: .plain) { store.send(.firstResponderChosen(.later)) }
        PasskeyOffer(store: store.scope(state: \.passkeys, action: \.passkeys))
    }
}

import ComposableArchitecture
import Domain
import Features
import SwiftUI

struct DrillView: View {
    @Bindable var store: StoreOf<DrillFeature>

    var body: some View {
        Card {
            Heading("Would they hear you?")
            ErrorNotice(store.error) { store.send(.dismissError) }
            Quiet(
                """
                A drill sends your responders a message that is marked as a drill. You see who \
                answers, how, and how fast.
                """)
            if let own = store.own { result(of: own) }
            if store.isRunning {
                WideButton("Stop the drill", .close) { store.send(.stopButtonTapped) }
                    .disabled(store.isBusy)
            } else {
                WideButton("Start a drill", .bell) { store.send(.startButtonTapped) }
                    .disabled(!store.mayStart)
                if let own = store.own, !store.mayStart, !store.isBusy {
                    Quiet(Text("You can start the next one ") + .when(own.nextStart))
                }
            }
        }
        .onAppear { store.send(.onAppear) }
        .onDisappear { store.send(.onDisappear) }
        .alert($store.scope(state: \.confirmation, action: \.confirmation))
    }

    @ViewBuilder private func result(of own: DrillRecord) -> some View {
        let words = own.isRunning ? "The drill is running. \(own.summary)" : own.summary
        Text(words).bold().announced(words)
        if let words = own.endWords { Quiet(words) }
        ForEach(own.answers, id: \.personID) { answer in
            HStack {
                Text(ProfileRules.displayName(answer.name)).bold()
                Spacer()
                if let words = own.words(for: answer) {
                    Text("Got it, \(words)")
                } else {
                    Quiet(own.silence(of: answer))
                }
            }
        }
    }
}

struct DrillQuestions: View {
    let store: StoreOf<DrillFeature>
    let questions: [DrillQuestion]

    var body: some View {
        Group {
            ErrorNotice(store.error) { store.send(.dismissError) }
            ForEach(questions) { question in card(question) }
        }
        .onAppear { store.send(.onAppear) }
        .onDisappear { store.send(.onDisappear) }
    }

    private func card(_ question: DrillQuestion) -> some View {
        let name = ProfileRules.displayName(question.name)
        return Card {
            HStack(spacing: 8) {
                Symbol.bell.picture
                Text("This is a drill by \(name)").bold()
            }
            Text("\(name) does not need help. They want to know whether a message reaches you.")
            WideButton("Got it", .check, kind: .primary) {
                store.send(.answerButtonTapped(question.id))
            }
            .accessibilityLabel("Got it: answer the drill by \(name)")
            .disabled(store.answering.contains(question.id))
        }
        .announced("This is a drill by \(name)")
    }
}

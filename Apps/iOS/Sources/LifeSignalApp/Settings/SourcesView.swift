import ComposableArchitecture
import Domain
import Features
import SwiftUI
import UIKit

/// Buttons, tags and programs that check in without the app.
struct SourcesView: View {
    @Bindable var store: StoreOf<SourcesFeature>

    var body: some View {
        Card {
            Heading(SourcesFeature.title)
            Text(SourcesFeature.hint)
            ErrorNotice(store.error) { store.send(.dismissError) }
            if let sources = store.sources {
                list(sources)
            } else if store.error == nil {
                LoadingLine()
            } else {
                WideButton("Load again") { store.send(.retryButtonTapped) }
            }
            if let added = store.added {
                address(added)
            } else if store.sources != nil {
                form
            }
        }
        .onAppear { store.send(.onAppear) }
        .onDisappear { store.send(.onDisappear) }
        .onChange(of: store.isCopied) { _, isCopied in
            if isCopied, let added = store.added {
                UIPasteboard.general.string = added.address.absoluteString
            }
        }
        .alert($store.scope(state: \.confirmation, action: \.confirmation))
    }

    @ViewBuilder private func list(_ sources: [CheckInSource]) -> some View {
        if sources.isEmpty { Quiet(SourcesFeature.noSources) }
        ForEach(sources) { source in
            VStack(alignment: .leading, spacing: 4) {
                Text(source.name).bold()
                Quiet(use(of: source) + Text(", added ") + .moment(source.createdAt))
                WideButton(store.state.removeWords(source.id), kind: .danger) {
                    store.send(.removeButtonTapped(source.id))
                }
                .accessibilityLabel("Remove \(source.name)")
                .disabled(store.removing != nil)
            }
        }
    }

    private func use(of source: CheckInSource) -> Text {
        guard let time = source.lastUsedAt else { return Text("Not used yet") }
        return Text("Last check-in ") + .since(time)
    }

    /// The address of a new source, with a command as an example.
    @ViewBuilder private func address(_ added: NewSource) -> some View {
        let title = "\(SourcesFeature.addressTitle) \(added.source.name)"
        Text(title).bold().announced(title)
        code(added.address.absoluteString)
        Text(SourcesFeature.addressHint)
        code(added.example)
        WideButton(store.copyWords, .copy, kind: .primary) { store.send(.copyButtonTapped) }
        WideButton("Done") { store.send(.doneButtonTapped) }
    }

    private func code(_ text: String) -> some View {
        Text(text)
            .font(.system(.footnote, design: .monospaced))
            .textSelection(.enabled)
    }

    @ViewBuilder private var form: some View {
        if store.isFull {
            Quiet(RefusalWords.sourcesFull.detail)
        } else {
            Field(
                SourcesFeature.nameTitle, text: $store.name.sending(\.nameChanged),
                hint: SourcesFeature.nameHint
            )
            .disabled(store.isAdding)
            SubmitButton(store.addWords, isEnabled: !store.isAdding) {
                store.send(.addButtonTapped)
            }
        }
    }
}

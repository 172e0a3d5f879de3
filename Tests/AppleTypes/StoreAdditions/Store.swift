@_exported import ComposableArchitecture

@testable import SwiftUI

// The upstream store's extensions of SwiftUI, with the declarations of version 1.25.

extension Store: @retroactive Observable {}

extension Bindable {
    @MainActor
    public func scope<State: ObservableState, Action, ChildState, ChildAction>(
        state: KeyPath<State, ChildState?>,
        action: CaseKeyPath<Action, PresentationAction<ChildAction>>
    ) -> Binding<Store<ChildState, ChildAction>?> where Value == Store<State, Action> {
        let store = wrappedValue
        return Binding(
            read: { store.scope(state: state, action: action) },
            write: { child in
                if child == nil, store.state[keyPath: state] != nil { store.send(action(.dismiss)) }
            })
    }

    @_disfavoredOverload
    public subscript<State: ObservableState, Action, Member>(
        dynamicMember keyPath: KeyPath<State, Member>
    ) -> _StoreBindable_SwiftUI<State, Action, Member> where Value == Store<State, Action> {
        _StoreBindable_SwiftUI(store: wrappedValue, keyPath: keyPath)
    }
}

@dynamicMemberLookup
public struct _StoreBindable_SwiftUI<State: ObservableState, Action, Value> {
    fileprivate let store: Store<State, Action>
    fileprivate let keyPath: KeyPath<State, Value>

    public subscript<Member>(
        dynamicMember keyPath: KeyPath<Value, Member>
    ) -> _StoreBindable_SwiftUI<State, Action, Member> {
        .init(store: store, keyPath: self.keyPath.appending(path: keyPath))
    }

    @MainActor
    public func sending(_ action: CaseKeyPath<Action, Value>) -> Binding<Value> {
        Binding(
            read: { store.state[keyPath: keyPath] }, write: { store.send(action($0)) })
    }
}

extension View {
    public func alert<Action>(_ item: Binding<Store<AlertState<Action>, Action>?>) -> some View {
        presenting(isWhole: false) {
            item.wrappedValue.map { store in
                store.withState { Question($0.title, $0.message, $0.buttons, store, item) }
            }
        }
    }
    public func confirmationDialog<Action>(
        _ item: Binding<Store<ConfirmationDialogState<Action>, Action>?>
    ) -> some View {
        presenting(isWhole: false) {
            item.wrappedValue.map { store in
                store.withState { Question($0.title, $0.message, $0.buttons, store, item) }
            }
        }
    }
}

/// A question with buttons. A button without an action only dismisses the question.
private struct Question<State, Action>: View {
    let texts: [String]
    let buttons: [ButtonState<Action>]
    let store: Store<State, Action>
    let item: Binding<Store<State, Action>?>

    init(
        _ title: TextState, _ message: TextState?, _ buttons: [ButtonState<Action>],
        _ store: Store<State, Action>, _ item: Binding<Store<State, Action>?>
    ) {
        texts = [title, message].compactMap { $0.map { String(state: $0) } }
        (self.buttons, self.store, self.item) = (buttons, store, item)
    }

    var body: some View {
        ForEach(texts, id: \.self) { Text($0) }
        ForEach(buttons) { button in
            Button(String(state: button.label)) {
                if let action = button.action.action {
                    store.send(action)
                } else {
                    item.wrappedValue = nil
                }
            }
        }
    }
}

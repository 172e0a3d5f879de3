@_exported import ComposableArchitecture
import SwiftUI

// The upstream store's additions for SwiftUI, as version 1.25 declares them.

extension Store: @retroactive Observable {}

extension Bindable {
    @MainActor
    public func scope<State: ObservableState, Action, ChildState, ChildAction>(
        state: KeyPath<State, ChildState?>,
        action: CaseKeyPath<Action, PresentationAction<ChildAction>>
    ) -> Binding<Store<ChildState, ChildAction>?> where Value == Store<State, Action> {
        fatalError()
    }

    @_disfavoredOverload
    public subscript<State: ObservableState, Action, Member>(
        dynamicMember keyPath: KeyPath<State, Member>
    ) -> _StoreBindable_SwiftUI<State, Action, Member> where Value == Store<State, Action> {
        fatalError()
    }
}

@dynamicMemberLookup
public struct _StoreBindable_SwiftUI<State: ObservableState, Action, Value> {
    public subscript<Member>(
        dynamicMember keyPath: KeyPath<Value, Member>
    ) -> _StoreBindable_SwiftUI<State, Action, Member> { fatalError() }

    @MainActor
    public func sending(_ action: CaseKeyPath<Action, Value>) -> Binding<Value> { fatalError() }
}

extension View {
    public func alert<Action>(_ item: Binding<Store<AlertState<Action>, Action>?>) -> some View {
        self
    }
    public func confirmationDialog<Action>(
        _ item: Binding<Store<ConfirmationDialogState<Action>, Action>?>
    ) -> some View { self }
}

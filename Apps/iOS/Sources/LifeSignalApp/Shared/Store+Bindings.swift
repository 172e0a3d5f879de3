import ComposableArchitecture
import SwiftUI

/// Bindings that turn a control's new value into an action. The reducer decides the resulting
/// state.
extension Store where State: ObservableState {
    /// True while something is presented. Setting this to false sends the action that closes the
    /// presentation.
    @MainActor
    subscript(
        presented isPresented: KeyPath<State, Bool>, close action: CaseKeyPath<Action, Void>
    ) -> Bool {
        get { state[keyPath: isPresented] }
        set { if !newValue, state[keyPath: isPresented] { send(action()) } }
    }

    /// A value whose change sends a toggle action.
    @MainActor
    subscript(
        value isOn: KeyPath<State, Bool>, toggle action: CaseKeyPath<Action, Void>
    ) -> Bool {
        get { state[keyPath: isOn] }
        set { if newValue != state[keyPath: isOn] { send(action()) } }
    }

    /// A value whose change sends an action with the new value.
    @MainActor
    subscript<Value: Equatable>(
        value value: KeyPath<State, Value>, send action: CaseKeyPath<Action, Value>
    ) -> Value {
        get { state[keyPath: value] }
        set { if newValue != state[keyPath: value] { send(action(newValue)) } }
    }
}

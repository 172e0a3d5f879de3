import ComposableArchitecture
import SwiftUI

/// Turns the writing of a control into an action; the reducer decides what the state is then.
extension Store where State: ObservableState {
    /// True while something is presented. False, which SwiftUI sets, sends the action that closes
    /// it.
    @MainActor
    subscript(
        presented isPresented: KeyPath<State, Bool>, close action: CaseKeyPath<Action, Void>
    ) -> Bool {
        get { state[keyPath: isPresented] }
        set { if !newValue, state[keyPath: isPresented] { send(action()) } }
    }

    /// A value whose change sends an action that toggles it.
    @MainActor
    subscript(
        value isOn: KeyPath<State, Bool>, toggle action: CaseKeyPath<Action, Void>
    ) -> Bool {
        get { state[keyPath: isOn] }
        set { if newValue != state[keyPath: isOn] { send(action()) } }
    }

    /// A value whose change sends an action with the new one.
    @MainActor
    subscript<Value: Equatable>(
        value value: KeyPath<State, Value>, send action: CaseKeyPath<Action, Value>
    ) -> Value {
        get { state[keyPath: value] }
        set { if newValue != state[keyPath: value] { send(action(newValue)) } }
    }
}

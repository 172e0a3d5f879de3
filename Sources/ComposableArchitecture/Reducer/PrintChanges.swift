import CustomDump

extension Reducer {
    /// Prints each action that is received, and how it changes the state. For debugging; it does nothing in a release build.
    public func _printChanges(_ printer: _ReducerPrinter<State, Action>? = .customDump) -> some Reducer<State, Action> {
        _PrintChangesReducer(base: self, printer: printer)
    }
}

/// How the changes of a reducer are printed.
public struct _ReducerPrinter<State, Action> {
    let print: (_ action: Action, _ oldState: State, _ newState: State) -> Void

    public init(printChange: @escaping (_ receivedAction: Action, _ oldState: State, _ newState: State) -> Void) {
        print = printChange
    }

    /// The action, and the difference of the states.
    public static var customDump: Self {
        Self { action, oldState, newState in
            let change = diff(oldState, newState).map { "\($0)\n" } ?? "  (No state changes)\n"
            Swift.print("received action:\n\(dumped(action).indented(by: 2))\n\(change)")
        }
    }

    /// The action's case alone.
    public static var actionLabels: Self {
        Self { action, _, _ in
            Swift.print("received action: \(Mirror(reflecting: action).children.first?.label ?? "\(action)")")
        }
    }
}

/// What `_printChanges` makes of a reducer.
public struct _PrintChangesReducer<Base: Reducer>: Reducer {
    let base: Base
    let printer: _ReducerPrinter<Base.State, Base.Action>?

    public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
        #if DEBUG
        guard let printer else { return base.reduce(into: &state, action: action) }
        let oldState = state
        let effect = base.reduce(into: &state, action: action)
        printer.print(action, oldState, state)
        return effect
        #else
        return base.reduce(into: &state, action: action)
        #endif
    }
}

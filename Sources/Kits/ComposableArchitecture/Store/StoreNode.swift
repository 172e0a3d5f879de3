/// The source of a store's state: a core, or a part of another node's state.
protocol StoreNode<State, Action>: AnyObject {
    associatedtype State
    associatedtype Action

    /// The state. Reading it registers the reader as an observer.
    var state: State { get }
    /// The core, and the path from its state to this node's state.
    var identity: [AnyHashable] { get }

    func send(_ action: Action, isolation: (any Actor)?) -> StoreTask

    /// Calls a closure with the state after each batch of actions, until the closure returns false.
    func onChange(_ listen: @escaping (State) -> Bool)
}

final class RootNode<State, Action>: StoreNode {
    let core: StoreCore<State, Action>

    init(_ core: StoreCore<State, Action>) {
        self.core = core
    }

    var state: State {
        core.observation.access()
        return core.state
    }

    var identity: [AnyHashable] { [ObjectIdentifier(core)] }

    func send(_ action: Action, isolation: (any Actor)?) -> StoreTask {
        core.adopt(isolation)
        return StoreTask(registry: core.effects, group: core.send(action))
    }

    func onChange(_ listen: @escaping (State) -> Bool) {
        core.addListener(listen)
    }
}

/// A part that always exists, such as a stored property.
final class WholeNode<Parent: StoreNode, State, Action>: StoreNode {
    private let parent: Parent
    private let toState: (Parent.State) -> State
    private let fromAction: (Action) -> Parent.Action
    private let property: AnyHashable

    init(
        _ parent: Parent,
        property: AnyHashable,
        state toState: @escaping (Parent.State) -> State,
        action fromAction: @escaping (Action) -> Parent.Action
    ) {
        self.parent = parent
        self.property = property
        self.toState = toState
        self.fromAction = fromAction
    }

    var state: State { toState(parent.state) }

    var identity: [AnyHashable] { parent.identity + [property] }

    func send(_ action: Action, isolation: (any Actor)?) -> StoreTask {
        parent.send(fromAction(action), isolation: isolation)
    }

    func onChange(_ listen: @escaping (State) -> Bool) {
        let toState = toState
        parent.onChange { listen(toState($0)) }
    }
}

/// A part that can disappear. The node then keeps the part's last state.
final class PartNode<Parent: StoreNode, State, Action>: StoreNode {
    private let parent: Parent
    private let toState: (Parent.State) -> State?
    private let fromAction: (Action) -> Parent.Action
    private let property: AnyHashable
    private var last: State

    init?(
        _ parent: Parent,
        property: AnyHashable,
        state toState: @escaping (Parent.State) -> State?,
        action fromAction: @escaping (Action) -> Parent.Action
    ) {
        guard let state = toState(parent.state) else { return nil }
        self.parent = parent
        self.property = property
        self.toState = toState
        self.fromAction = fromAction
        last = state
    }

    var state: State {
        if let state = toState(parent.state) { last = state }
        return last
    }

    var identity: [AnyHashable] { parent.identity + [property] }

    func send(_ action: Action, isolation: (any Actor)?) -> StoreTask {
        parent.send(fromAction(action), isolation: isolation)
    }

    func onChange(_ listen: @escaping (State) -> Bool) {
        let toState = toState
        parent.onChange { toState($0).map(listen) ?? true }
    }
}

import IssueReporting
import Observation

/// The core of a store: its state, its reducer, and its running effects.
///
/// Not Sendable: the compiler keeps the core in the isolation that created it. Effects send their
/// actions through ``StoreHome``.
final class StoreCore<State, Action> {
    private(set) var state: State
    var dependencies: DependencyValues
    let effects = EffectRegistry()
    let observation = RootObservation()
    /// The destination of the effects' actions. `nil` while the store's isolation is unknown.
    private(set) var home: StoreHome<State, Action>?
    /// Called after each processed action. Only test stores set it.
    var didProcess: ((_ action: Action, _ group: Int, _ isFromEffect: Bool) -> Void)?
    /// Runs the effects of a test store, and knows when all of them are suspended.
    private let settling: EffectSettling?
    /// Runs the tasks of effects. `nil` for the shared threads.
    private let executor: (any TaskExecutor)?
    private let reduce: (inout State, Action) -> Effect<Action>
    private let identity: (State) -> ObservableStateID?
    /// See ``Store/init(initialState:isolation:executor:isObserved:reducer:withDependencies:)``.
    private let isObserved: Bool
    private var waiting = ActionQueue<Action>()
    private var isProcessing = false
    private var lastGroup = 0
    private var listeners: [Int: (State) -> Bool] = [:]
    private var lastListener = 0

    init<R: Reducer<State, Action>>(
        initialState: () -> State,
        reducer: () -> R,
        prepareDependencies: (inout DependencyValues) -> Void,
        settling: EffectSettling? = nil,
        executor: (any TaskExecutor)? = nil,
        isObserved: Bool = true,
        isolation: (any Actor)?
    ) {
        (state, reduce, dependencies) = withDependencies {
            prepareDependencies(&$0)
        } operation: {
            (initialState(), evaluated(reducer()), DependencyValues._current)
        }
        self.settling = settling
        self.executor = (settling as (any TaskExecutor)?) ?? executor
        self.isObserved = isObserved
        identity = stateIdentity(of: State.self)
        adopt(isolation)
    }

    deinit {
        effects.close()
    }

    /// Sets the store's isolation, once. A store that is the initial value of a property is created
    /// before its isolation exists.
    func adopt(_ isolation: (any Actor)?) {
        guard home == nil, let isolation else { return }
        home = StoreHome(self, isolation: isolation, settling: settling)
    }
}

// MARK: Processing actions

extension StoreCore {
    /// Processes an external action. If another action is being processed, queues the action.
    ///
    /// - Returns: The number of the group that includes all effects the action leads to.
    @discardableResult
    func send(_ action: Action) -> Int {
        lastGroup += 1
        let group = lastGroup
        var item = ActionQueue.Item(action: action, group: group, isFromEffect: false)
        if isProcessing {
            item.placeholder = effects.register(scope: EffectScope(), ids: [], group: group)
        }
        enqueue(item)
        return group
    }

    func receive(_ action: Action, group: Int) {
        enqueue(ActionQueue.Item(action: action, group: group, isFromEffect: true))
    }

    private func enqueue(_ item: ActionQueue<Action>.Item) {
        guard !isProcessing else { return waiting.append(item) }
        isProcessing = true
        // Clears the thread's marks, which may belong to another store's reducer: an observer can
        // send this action while that reducer runs.
        ThreadMarks.with(0) {
            DependencyValues.$_current.withValue(dependencies) {
                process(item)
                while let item = waiting.popFirst() { process(item) }
            }
            isProcessing = false
            if !listeners.isEmpty { tellListeners() }
        }
    }

    private func process(_ item: ActionQueue<Action>.Item) {
        let effect = isObserved ? reduceCopy(item.action) : reduceInPlace(item.action)
        didProcess?(item.action, item.group, item.isFromEffect)
        start(effect, scope: EffectScope(), ids: [], group: item.group)
        if let placeholder = item.placeholder { effects.remove(placeholder) }
    }

    /// Reduces a copy: observers that read the store meanwhile must see the previous state.
    private func reduceCopy(_ action: Action) -> Effect<Action> {
        var next = state
        let before = identity(next)
        let effect = ThreadMarks.with(ThreadMarks.isUnobserved) { reduce(&next, action) }
        commit(consume next, before: before)
        return effect
    }

    private func reduceInPlace(_ action: Action) -> Effect<Action> {
        ThreadMarks.with(ThreadMarks.isUnobserved) { reduce(&state, action) }
    }

    private func commit(_ next: consuming State, before: ObservableStateID?) {
        if let before, let after = identity(next), after.isContinuation(of: before) {
            state = next
        } else {
            let replacement = next
            observation.withChange { state = replacement }
        }
    }
}

// MARK: Carrying out effects

extension StoreCore {
    private func start(_ effect: Effect<Action>, scope: EffectScope, ids: [CancelID], group: Int) {
        switch effect.operation {
        case .none:
            return
        case .send(let action):
            receive(action, group: group)
        case .run(let priority, let name, let work):
            spawn(priority: priority, name: name, scope: scope, ids: ids, group: group) {
                work($1)
            }
        case .merge(let effects):
            for effect in effects { start(effect, scope: scope, ids: ids, group: group) }
        case .concatenate(let effects):
            let synchronous = effects.prefix { $0.isSynchronous }
            for effect in synchronous { start(effect, scope: scope, ids: ids, group: group) }
            let rest = Effect.concatenate(effects.dropFirst(synchronous.count))
            if case .concatenate = rest.operation {
                spawn(priority: nil, scope: scope, ids: ids, group: group) { context, send in
                    EffectWork(dependencies: ._current) {
                        await rest.execute(in: context, send: send)
                    }
                }
            } else {
                start(rest, scope: scope, ids: ids, group: group)
            }
        case .cancellable(let effect, let id, let cancelInFlight):
            if cancelInFlight { effects.cancel(.id(id, in: scope)) }
            start(effect, scope: scope, ids: ids + [id], group: group)
        case .cancel(let id):
            effects.cancel(.id(id, in: scope))
        case .scoped(let effect, let element):
            start(effect, scope: scope.appending(element), ids: ids, group: group)
        case .cancelScope(let element):
            effects.cancel(.scope(scope.appending(element)))
        }
    }

    private func spawn(
        priority: TaskPriority?,
        name: String? = nil,
        scope: EffectScope,
        ids: [CancelID],
        group: Int,
        work: (EffectContext, Send<Action>) -> EffectWork
    ) {
        if home == nil, let settling { home = StoreHome(self, isolation: nil, settling: settling) }
        guard let home else {
            reportIssue(
                """
                An effect was started in a store that belongs to no actor, so it could not bring \
                its actions back.

                Make the store, or send it its first action, in the isolation of an actor, such as \
                the main actor.
                """
            )
            return
        }
        let effects = effects
        let context = EffectContext(registry: effects, scope: scope, executor: executor)
        let token = effects.register(scope: scope, ids: ids, group: group)
        let work = work(context, Send(target: StoreTarget(home: home, group: group)))
        let operation = work.operation
        let task = EffectContext.$current.withValue(context) {
            work.makingTask {
                Task(name: name, executorPreference: executor, priority: priority) {
                    await operation()
                    effects.remove(token)
                }
            }
        }
        effects.attach(token, task)
    }
}

// MARK: Listeners

extension StoreCore {
    /// Calls a closure with the state after each batch of actions, until the closure returns false.
    func addListener(_ listener: @escaping (State) -> Bool) {
        lastListener += 1
        listeners[lastListener] = listener
    }

    private func tellListeners() {
        for key in listeners.keys.sorted() where !(listeners[key]?(state) ?? false) {
            listeners[key] = nil
        }
    }
}

final class RootObservation: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private var state: Void {}

    func access() {
        registrar.access(self, keyPath: \.state)
    }

    func withChange(_ change: () -> Void) {
        registrar.withMutation(of: self, keyPath: \.state, change)
    }
}

private func evaluated<R: Reducer>(_ reducer: R) -> (inout R.State, R.Action) -> Effect<R.Action> {
    let evaluated = Evaluated(reducer)
    return { evaluated.reduce(into: &$0, action: $1) }
}

/// Returns a function that reads a state's identity. For a state that isn't observable, the
/// function returns nil.
private func stateIdentity<State>(of type: State.Type) -> (State) -> ObservableStateID? {
    func open<Observed: ObservableState>(_ type: Observed.Type) -> ((State) -> ObservableStateID?)?
    {
        let identity: (Observed) -> ObservableStateID? = { $0._$id }
        return identity as? (State) -> ObservableStateID?
    }
    guard let type = type as? any ObservableState.Type, let identity = open(type) else {
        return { _ in nil }
    }
    return identity
}

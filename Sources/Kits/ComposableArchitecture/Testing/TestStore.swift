import CustomDump
import IssueReporting

/// A store for tests. The test sends actions and asserts how the feature responds. Any difference
/// fails the test.
///
/// ```swift
/// let store = TestStore(initialState: Counter.State()) { Counter() } withDependencies: {
///     $0.continuousClock = clock
/// }
/// await store.send(.startTimerButtonTapped)
/// await clock.advance(by: .seconds(1))
/// await store.receive(\.timerTicked) { $0.count = 1 }
/// ```
///
/// A test store belongs to the isolation that created it, like a ``Store``. Outside an actor, it
/// belongs to the test's task. Its effects run one at a time, in order of arrival. `send` and
/// `receive` return after all effects are suspended, so a loaded machine doesn't change the result.
public final class TestStore<State: Equatable, Action> {
    public var exhaustivity: Exhaustivity = .on

    /// The default time limit of `receive` and `finish`. Only failing tests wait that long. The 1 s
    /// of Point-Free's library is too short if many tests share two cores.
    public var timeout: Duration = .seconds(10)

    /// Does nothing, because tests are deterministic without the main serial executor. Test files
    /// written for Point-Free's library set it.
    public var useMainSerialExecutor = false

    /// The state after the last action that the test sent or received.
    public private(set) var state: State

    /// The feature's dependencies. A change takes effect with the next action.
    public var dependencies: DependencyValues {
        get { core.dependencies }
        set { core.dependencies = newValue }
    }

    let core: StoreCore<State, Action>
    let settling: EffectSettling
    let dismissal = TestStoreDismissal()
    let origin: SourceOrigin
    /// Actions from effects that the test hasn't asserted, oldest first.
    var received: [(action: Action, state: State)] = []
    /// Each sent action, and where the test sent it, by group.
    var origins: [Int: (action: Action, origin: SourceOrigin)] = [:]
    private var sentState: State

    public init<R: Reducer<State, Action>>(
        initialState: @autoclosure () -> State,
        isolation: isolated (any Actor)? = #isolation,
        reducer: () -> R,
        withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in },
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        settling = EffectSettling()
        let dismissal = dismissal
        core = StoreCore(
            initialState: initialState,
            reducer: reducer,
            prepareDependencies: {
                $0.beginTest()
                $0.dismiss = dismissal.effect
                prepareDependencies(&$0)
            },
            settling: settling,
            isolation: isolation
        )
        if isolation == nil { settling.belongToTask() }
        dismissal.attach(core.effects)
        origin = SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        state = core.state
        sentState = core.state
        core.didProcess = { [weak self] action, _, isFromEffect in
            self?.note(action, isFromEffect: isFromEffect)
        }
    }

    deinit {
        complete()
    }

    /// Sets the store's isolation. Outside an actor, the test's task processes the effects'
    /// actions.
    func adopt(_ isolation: (any Actor)?) {
        if isolation == nil { settling.belongToTask() }
        core.adopt(isolation)
    }

    private func note(_ action: Action, isFromEffect: Bool) {
        if isFromEffect {
            received.append((action, core.state))
        } else {
            sentState = core.state
        }
    }

    /// Sends an action and asserts how the action changes the state.
    ///
    /// - Parameter updateStateToExpectedResult: Changes the previous state to the expected state.
    ///   Pass nil if the state must stay the same.
    /// - Returns: A handle to the action's effects.
    @discardableResult
    public func send(
        _ action: Action,
        assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async -> TestStoreTask {
        let origin = SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        adopt(isolation)
        assertNotDismissed(origin)
        if !received.isEmpty { handleReceivedBeforeSending(origin) }
        let before = state
        let group = core.send(action)
        origins[group] = (action, origin)
        let after = sentState
        await settling.settled()
        // Updates `state` after the comparison: the closure may read the store, and must find the
        // previous state there.
        expect(after, from: before, update: updateStateToExpectedResult, origin: origin)
        state = after
        return TestStoreTask(
            task: StoreTask(registry: core.effects, group: group), settling: settling,
            defaultTimeout: timeout
        )
    }

    private func handleReceivedBeforeSending(_ origin: SourceOrigin) {
        guard exhaustivity == .on else { return skipReceived(received.count, origin) }
        let count = received.count
        report(
            """
            An action is sent before the test has received \(count) \
            \(count == 1 ? "action" : "actions") from effects:

            \(listed(received.map(\.action)))
            """,
            origin
        )
    }

    /// Asserts the received action at an index, and skips the actions before it.
    func assertReceived(_ index: Int, update: ((inout State) throws -> Void)?, origin: SourceOrigin)
    {
        if index > 0 { skipReceived(index, origin) }
        let after = received.removeFirst().state
        expect(after, from: state, update: update, origin: origin)
        state = after
    }

    /// Advances the state past received actions that the test doesn't assert.
    func skipReceived(_ count: Int, _ origin: SourceOrigin) {
        let skipped = received.prefix(count)
        guard let last = skipped.last else { return }
        received.removeFirst(count)
        state = last.state
        reportSkipped(
            """
            \(count) action\(count == 1 ? "" : "s") from \
            effects:\n\n\(listed(skipped.map(\.action)))
            """,
            origin
        )
    }

    /// Asserts values of the current state.
    ///
    /// - Parameter updateStateToExpectedResult: Sets properties to their expected values. Other
    ///   properties aren't compared.
    public func assert(
        _ updateStateToExpectedResult: @escaping (_ state: inout State) throws -> Void,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        let origin = SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        let exhaustivity = exhaustivity
        // Compares only the values that the closure sets, because no action was sent.
        self.exhaustivity = .off
        defer { self.exhaustivity = exhaustivity }
        expect(state, from: state, update: updateStateToExpectedResult, origin: origin)
    }
}

public typealias TestStoreOf<R: Reducer> = TestStore<R.State, R.Action> where R.State: Equatable

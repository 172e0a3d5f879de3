import CustomDump
import IssueReporting

/// A store for tests: the test says what it sends and what the feature does in turn, and each
/// difference fails it.
///
/// ```swift
/// let store = TestStore(initialState: Counter.State()) { Counter() } withDependencies: {
/// $0.continuousClock = clock }
/// await store.send(.startTimerButtonTapped)
/// await clock.advance(by: .seconds(1))
/// await store.receive(\.timerTicked) { $0.count = 1 }
/// ```
///
/// It belongs to the isolation that made it, as a ``Store`` does, or to the test's task if that is
/// on no actor. Its effects run one at a time in the order of their coming, and `send` and
/// `receive` return when all of them are suspended, so a test comes out the same on a loaded
/// machine.
public final class TestStore<State: Equatable, Action> {
    /// How much a test has to state.
    public var exhaustivity: Exhaustivity = .on

    /// How long `receive` and `finish` wait at most when they are not told. Only tests that fail
    /// wait so long; upstream's 1 s is too short where many tests share two cores.
    public var timeout: Duration = .seconds(10)

    /// Tests are deterministic without the main serial executor; this does nothing and is here for
    /// test files written for upstream.
    public var useMainSerialExecutor = false

    /// The state after the last action that the test has sent or received.
    public private(set) var state: State

    /// The dependencies of the feature. A change holds from the next action on.
    public var dependencies: DependencyValues {
        get { core.dependencies }
        set { core.dependencies = newValue }
    }

    let core: StoreCore<State, Action>
    let settling: EffectSettling
    let dismissal = TestStoreDismissal()
    let origin: SourceOrigin
    /// Actions from effects that the test has not asserted yet.
    var received: [(action: Action, state: State)] = []
    /// The places where the actions were sent whose effects may be running.
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

    /// Learns where the test runs. Without an actor, its task takes the actions that effects bring.
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

    /// Sends an action and states how it changes the state.
    ///
    /// - Parameters:
    ///   - action: What the user does.
    ///   - updateStateToExpectedResult: Changes the state from before to the state that is
    ///     expected. Left out: the state is not to change.
    /// - Returns: The life of the action's effects.
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
        // The closure that states the change still finds the state before in the store.
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
            An action is sent before the test has received \
            \(count == 1 ? "the one" : "all \(count)") that effects brought:

            \(listed(received.map(\.action)))
            """,
            origin
        )
    }

    /// States the action that was received next, and takes the state on to it.
    func assertReceived(_ index: Int, update: ((inout State) throws -> Void)?, origin: SourceOrigin)
    {
        if index > 0 { skipReceived(index, origin) }
        let after = received.removeFirst().state
        expect(after, from: state, update: update, origin: origin)
        state = after
    }

    /// Takes the state on past actions that the test does not state.
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

    /// States something about the state as it is now.
    ///
    /// - Parameter updateStateToExpectedResult: Sets properties to what they should be. In an
    ///   exhaustive store the rest of the state is compared as well.
    public func assert(
        _ updateStateToExpectedResult: @escaping (_ state: inout State) throws -> Void,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        let origin = SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        let exhaustivity = exhaustivity
        // There is nothing that changed, so only what the closure sets can be compared.
        self.exhaustivity = .off
        defer { self.exhaustivity = exhaustivity }
        expect(state, from: state, update: updateStateToExpectedResult, origin: origin)
    }
}

/// A test store of a feature.
public typealias TestStoreOf<R: Reducer> = TestStore<R.State, R.Action> where R.State: Equatable

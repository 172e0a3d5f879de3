/// Work outside the reducer that sends its results as actions.
///
/// An effect only describes the work. The store performs the work.
public struct Effect<Action>: Sendable {
    @usableFromInline let operation: Operation

    // Unchecked because the action in `send` need not be Sendable. The action has one owner at a
    // time: the creator gives it up, and the store handles it or passes it to one task.
    @usableFromInline
    indirect enum Operation: @unchecked Sendable {
        case none
        case send(Action)
        case run(priority: TaskPriority?, name: String?, Work)
        case merge([Effect])
        case concatenate([Effect])
        case cancellable(Effect, id: CancelID, cancelInFlight: Bool)
        case cancel(id: CancelID)
        case scoped(Effect, to: EffectScope.Element)
        case cancelScope(EffectScope.Element)
    }

    /// Creates the work of a task that sends its actions to a given destination.
    ///
    /// Enclosing reducers change the destination before the work begins. Wrapping the work instead
    /// would cost memory in each waiting task, for each enclosing reducer.
    @usableFromInline typealias Work = @Sendable (Send<Action>) -> EffectWork

    @usableFromInline
    init(_ operation: Operation) {
        self.operation = operation
    }

    @inlinable
    var isNone: Bool {
        if case .none = operation { true } else { false }
    }
}

public typealias EffectOf<R: Reducer> = Effect<R.Action>

// MARK: Making effects

extension Effect {
    @inlinable
    public static var none: Self { Self(.none) }

    /// Sends an action directly after the current one.
    ///
    /// Meant for notifying the parent (`delegate`). To share logic, call a method instead.
    public static func send(_ action: Action) -> Self {
        Self(.send(action))
    }

    /// Performs asynchronous work in its own task. The work can send any number of actions.
    ///
    /// ```swift
    /// case .refreshButtonTapped:
    ///     return .run { send in
    ///         await send(.response(Result { try await client.load() }))
    ///     }
    /// ```
    ///
    /// - Parameters:
    ///   - priority: The priority of the task.
    ///   - name: The name of the task, for debuggers and profilers.
    ///   - operation: The work. It has the same dependencies as the reducer.
    ///   - handler: Handles any error except `CancellationError`. Without a handler, the error is
    ///     reported as an issue.
    public static func run(
        priority: TaskPriority? = nil,
        name: String? = nil,
        operation: @escaping @Sendable (_ send: Send<Action>) async throws -> Void,
        catch handler: (@Sendable (_ error: any Error, _ send: Send<Action>) async -> Void)? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        let dependencies = DependencyValues._current
        return Self(
            .run(priority: priority, name: name) { send in
                EffectWork(dependencies: dependencies) {
                    do {
                        try await operation(send)
                    } catch is CancellationError {
                        return
                    } catch {
                        if let handler {
                            await handler(error, send)
                        } else {
                            reportUnhandled(
                                error, fileID: fileID, filePath: filePath, line: line,
                                column: column)
                        }
                    }
                }
            }
        )
    }
}

extension Effect {
    /// Performs synchronous work on the main actor, with the parameters of the asynchronous
    /// version. See ``MainActorSend``.
    @_disfavoredOverload
    public static func run(
        priority: TaskPriority? = nil,
        name: String? = nil,
        operation: @escaping @MainActor @Sendable (_ send: MainActorSend<Action>) throws -> Void,
        catch handler: (@Sendable (_ error: any Error, _ send: Send<Action>) async -> Void)? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        run(
            priority: priority, name: name,
            operation: { send in
                try await MainActor.run { try operation(MainActorSend(send)) }
            },
            catch: handler, fileID: fileID, filePath: filePath, line: line, column: column)
    }
}

// MARK: Putting effects together

extension Effect {
    /// Runs effects at the same time.
    public static func merge(_ effects: Self...) -> Self {
        merge(effects)
    }

    public static func merge(_ effects: some Sequence<Self>) -> Self {
        let effects = effects.filter { !$0.isNone }
        return effects.count > 1 ? Self(.merge(effects)) : effects.first ?? .none
    }

    @inlinable
    public func merge(with other: Self) -> Self {
        if isNone { return other }
        if other.isNone { return self }
        return merging(other)
    }

    @usableFromInline
    func merging(_ other: Self) -> Self {
        Self(.merge([self, other]))
    }

    /// Runs effects one after the other.
    public static func concatenate(_ effects: Self...) -> Self {
        concatenate(effects)
    }

    public static func concatenate(_ effects: some Collection<Self>) -> Self {
        let effects = effects.filter { !$0.isNone }
        return effects.count > 1 ? Self(.concatenate(effects)) : effects.first ?? .none
    }

    public func concatenate(with other: Self) -> Self {
        if isNone { return other }
        if other.isNone { return self }
        return Self(.concatenate([self, other]))
    }

    /// Transforms the actions that the effect sends.
    public func map<T>(_ transform: @escaping @Sendable (Action) -> T) -> Effect<T> {
        switch operation {
        case .none: .none
        case .send(let action): .send(transform(action))
        case .run(let priority, let name, let work):
            Effect<T>(
                .run(priority: priority, name: name) { work($0.mapping(transform)) })
        case .merge(let effects): Effect<T>(.merge(effects.map { $0.map(transform) }))
        case .concatenate(let effects): Effect<T>(.concatenate(effects.map { $0.map(transform) }))
        case .cancellable(let effect, let id, let cancelInFlight):
            Effect<T>(.cancellable(effect.map(transform), id: id, cancelInFlight: cancelInFlight))
        case .cancel(let id): Effect<T>(.cancel(id: id))
        case .scoped(let effect, let element):
            Effect<T>(.scoped(effect.map(transform), to: element))
        case .cancelScope(let element): Effect<T>(.cancelScope(element))
        }
    }

    /// Lets the effect's work dismiss the presented feature. With nested presentations, the work
    /// dismisses the innermost feature.
    func dismissing(_ dismissal: @escaping @Sendable (Send<Action>) -> DismissEffect.Dismissal)
        -> Self
    {
        switch operation {
        case .none, .send, .cancel, .cancelScope: self
        case .run(let priority, let name, let work):
            Self(
                .run(priority: priority, name: name) { send in
                    var work = work(send)
                    if work.dismissal == nil { work.dismissal = dismissal(send) }
                    return work
                })
        case .merge(let effects): Self(.merge(effects.map { $0.dismissing(dismissal) }))
        case .concatenate(let effects): Self(.concatenate(effects.map { $0.dismissing(dismissal) }))
        case .cancellable(let effect, let id, let cancelInFlight):
            Self(
                .cancellable(effect.dismissing(dismissal), id: id, cancelInFlight: cancelInFlight))
        case .scoped(let effect, let element):
            Self(.scoped(effect.dismissing(dismissal), to: element))
        }
    }
}

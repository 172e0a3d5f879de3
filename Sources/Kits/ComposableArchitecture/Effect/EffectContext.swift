struct EffectContext: Sendable {
    /// `nil` outside effects.
    @TaskLocal static var current: EffectContext?

    let registry: EffectRegistry
    let scope: EffectScope
    /// Runs the tasks of the store's effects. `nil` for the shared threads.
    let executor: (any TaskExecutor)?

    /// The context of tasks that don't belong to a store.
    private static let outside = EffectContext(
        registry: EffectRegistry(), scope: EffectScope(), executor: nil)

    static var currentOrOutside: EffectContext { current ?? outside }

    func appending(_ element: EffectScope.Element) -> Self {
        EffectContext(registry: registry, scope: scope.appending(element), executor: executor)
    }

    /// Runs an operation in a task that can be cancelled by ids and by the scope. Waits for its
    /// end.
    func run<Value: Sendable>(ids: [CancelID], operation: @escaping @Sendable () async -> Value)
        async -> Value
    {
        let token = registry.register(scope: scope, ids: ids, group: nil)
        defer { registry.remove(token) }
        let task = Task(executorPreference: executor) {
            await EffectContext.$current.withValue(self, operation: operation)
        }
        registry.attach(token, task)
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension Effect {
    func execute(in context: EffectContext, send: Send<Action>) async {
        switch operation {
        case .none:
            return
        case .send(let action):
            await send.forward(action)
        case .run(nil, nil, let work):
            await work(send).run()
        case .run(let priority, let name, let work):
            let work = work(send)
            let task = work.makingTask {
                Task(
                    name: name, executorPreference: context.executor, priority: priority,
                    operation: work.operation)
            }
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        case .merge(let effects):
            await withDiscardingTaskGroup { group in
                for effect in effects {
                    group.addTask { await effect.execute(in: context, send: send) }
                }
            }
        case .concatenate(let effects):
            for effect in effects where !Task.isCancelled {
                await effect.execute(in: context, send: send)
            }
        case .cancellable(let effect, let id, let cancelInFlight):
            if cancelInFlight { context.registry.cancel(.id(id, in: context.scope)) }
            await context.run(ids: [id]) { await effect.execute(in: context, send: send) }
        case .cancel(let id):
            context.registry.cancel(.id(id, in: context.scope))
        case .scoped(let effect, let element):
            let child = context.appending(element)
            await child.run(ids: []) { await effect.execute(in: child, send: send) }
        case .cancelScope(let element):
            context.registry.cancel(.scope(context.scope.appending(element)))
        }
    }

    /// True if the effect needs no task.
    var isSynchronous: Bool {
        switch operation {
        case .none, .send, .cancel, .cancelScope: true
        case .run: false
        case .merge(let effects), .concatenate(let effects): effects.allSatisfy(\.isSynchronous)
        case .cancellable(let effect, _, _), .scoped(let effect, _): effect.isSynchronous
        }
    }
}

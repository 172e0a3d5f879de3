extension Effect {
    /// The same effect, to be cancelled by an id.
    ///
    /// Ids belong to the store and to the feature in it: two stores never cancel each other's
    /// effects, nor do two rows of a list, but a parent reaches the effects of its children.
    ///
    /// - Parameters:
    ///   - id: What to cancel it by.
    ///   - cancelInFlight: Whether effects with this id that are running are cancelled first.
    public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Self {
        Self(.cancellable(self, id: CancelID(id), cancelInFlight: cancelInFlight))
    }

    /// Cancels the running effects with an id.
    public static func cancel(id: some Hashable & Sendable) -> Self {
        Self(.cancel(id: CancelID(id)))
    }
}

/// Does work inside of an effect that can be cancelled by an id.
///
/// ```swift
/// return .run { send in
///     await withTaskCancellation(id: CancelID.response, cancelInFlight: true) { … }
/// }
/// ```
///
/// - Parameters:
///   - id: What to cancel it by: with `Effect.cancel(id:)` or `Task.cancel(id:)`.
///   - cancelInFlight: Whether work and effects with this id that are running are cancelled first.
///   - operation: The work.
/// - Throws: What the work throws.
public func withTaskCancellation<T: Sendable, Failure: Error>(
    id: some Hashable & Sendable,
    cancelInFlight: Bool = false,
    isolation: isolated (any Actor)? = #isolation,
    operation: @escaping @Sendable () async throws(Failure) -> T
) async throws(Failure) -> T {
    let context = EffectContext.currentOrOutside
    let id = CancelID(id)
    if cancelInFlight { context.registry.cancel(.id(id, in: context.scope)) }
    let result = await context.run(ids: [id]) { () -> Result<T, Failure> in
        do throws(Failure) {
            return .success(try await operation())
        } catch {
            return .failure(error)
        }
    }
    return try result.get()
}

extension Task where Success == Never, Failure == Never {
    /// Cancels the running effects and works with an id, of the store whose effect calls it.
    public static func cancel(id: some Hashable & Sendable) {
        let context = EffectContext.currentOrOutside
        context.registry.cancel(.id(CancelID(id), in: context.scope))
    }
}

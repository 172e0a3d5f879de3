extension Effect {
    /// Makes the effect cancellable by an id.
    ///
    /// Ids belong to a feature in one store. Two stores, or two rows of a list, never cancel each
    /// other's effects. A parent can cancel its children's effects.
    ///
    /// - Parameters:
    ///   - id: The id for `Effect.cancel(id:)`.
    ///   - cancelInFlight: Whether to first cancel running effects with this id.
    public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Self {
        Self(.cancellable(self, id: CancelID(id), cancelInFlight: cancelInFlight))
    }

    /// Cancels the running effects with an id, in the feature and its children.
    public static func cancel(id: some Hashable & Sendable) -> Self {
        Self(.cancel(id: CancelID(id)))
    }
}

/// Performs work that can be cancelled by an id, inside an effect.
///
/// ```swift
/// return .run { send in
///     await withTaskCancellation(id: CancelID.response, cancelInFlight: true) { … }
/// }
/// ```
///
/// - Parameters:
///   - id: The id for `Effect.cancel(id:)` or `Task.cancel(id:)`.
///   - cancelInFlight: Whether to first cancel running work and effects with this id.
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
    /// Cancels the running effects and work with an id, in the feature of the calling effect.
    public static func cancel(id: some Hashable & Sendable) {
        let context = EffectContext.currentOrOutside
        context.registry.cancel(.id(CancelID(id), in: context.scope))
    }
}

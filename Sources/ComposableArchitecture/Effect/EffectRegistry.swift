/// What effects are cancelled by.
@usableFromInline
struct CancelID: Hashable, @unchecked Sendable {
    // Unchecked because `AnyHashable` is not Sendable; it is only ever made of a Sendable value.
    private let value: AnyHashable

    init(_ id: some Hashable & Sendable) {
        value = AnyHashable(id)
    }
}

/// Where in the tree of features an effect runs: one element for each presented, optional or listed child on the way from the store's root.
@usableFromInline
struct EffectScope: Hashable, Sendable {
    @usableFromInline
    struct Element: Hashable, @unchecked Sendable {
        // Unchecked because key paths and `AnyHashable` are not Sendable by type. Both are immutable, the ids of elements are Sendable by the operators'
        // signatures, and others are only compared and hashed in the store's isolation or under the registry's lock.
        let property: AnyKeyPath
        let id: AnyHashable?
    }

    var path: [Element] = []

    func appending(_ element: Element) -> Self {
        EffectScope(path: path + [element])
    }
}

/// The effects of one store that are running, and what each can be cancelled by.
///
/// Effects report their end from any thread, so it has a lock; no code of a user runs under it.
final class EffectRegistry: Sendable {
    typealias Token = Int

    /// A name by which effects can be cancelled.
    enum Address: Hashable, Sendable {
        /// All effects of a child.
        case scope(EffectScope)
        /// The effects with an id in a feature and its children.
        case id(CancelID, in: EffectScope)
        /// All that came from one action, sent from outside of the store.
        case group(Int)
    }

    private struct Entry {
        var addresses: [Address]
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
    }

    private struct Storage {
        var nextToken = 0
        var entries: [Token: Entry] = [:]
        var index: [Address: Set<Token>] = [:]
        var waiting: [Int: [CheckedContinuation<Void, Never>]] = [:]
        var throttles: [Address: any Sendable] = [:]
        var isClosed = false
    }

    private let storage = Guarded(Storage())

    /// Makes room for an effect, before its task exists.
    func register(scope: EffectScope, ids: [CancelID], group: Int?) -> Token {
        var addresses = group.map { [Address.group($0)] } ?? []
        for depth in scope.path.indices {
            let child = EffectScope(path: Array(scope.path[...depth]))
            addresses.append(.scope(child))
            for id in ids { addresses.append(.id(id, in: child)) }
        }
        for id in ids { addresses.append(.id(id, in: EffectScope())) }
        return storage.withLock { storage in
            storage.nextToken += 1
            let token = storage.nextToken
            storage.entries[token] = Entry(addresses: addresses)
            for address in addresses { storage.index[address, default: []].insert(token) }
            return token
        }
    }

    /// Adds how to cancel the task, which may have ended or been cancelled by now.
    func attach(_ token: Token, cancel: @escaping @Sendable () -> Void) {
        let isCancelled = storage.withLock { storage in
            storage.entries[token]?.cancel = cancel
            return storage.isClosed || storage.entries[token]?.isCancelled ?? false
        }
        if isCancelled { cancel() }
    }

    /// Forgets an effect that has ended.
    func remove(_ token: Token) {
        let finished = storage.withLock { storage -> [CheckedContinuation<Void, Never>] in
            guard let entry = storage.entries.removeValue(forKey: token) else { return [] }
            var finished: [CheckedContinuation<Void, Never>] = []
            for address in entry.addresses {
                storage.index[address]?.remove(token)
                guard storage.index[address]?.isEmpty ?? false else { continue }
                storage.index[address] = nil
                if case .group(let group) = address { finished += storage.waiting.removeValue(forKey: group) ?? [] }
            }
            return finished
        }
        for continuation in finished { continuation.resume() }
    }

    func cancel(_ address: Address) {
        let cancels = storage.withLock { storage in
            (storage.index[address] ?? []).sorted().compactMap { token in
                storage.entries[token]?.isCancelled = true
                return storage.entries[token]?.cancel
            }
        }
        for cancel in cancels { cancel() }
    }

    /// Cancels everything, also what is registered from now on.
    func close() {
        let cancels = storage.withLock { storage in
            storage.isClosed = true
            return storage.entries.values.compactMap(\.cancel)
        }
        for cancel in cancels { cancel() }
    }

    /// Waits until all that came from one action has ended.
    func finish(group: Int) async {
        await withCheckedContinuation { continuation in
            let isRunning = storage.withLock { storage in
                guard storage.index[.group(group)] != nil else { return false }
                storage.waiting[group, default: []].append(continuation)
                return true
            }
            if !isRunning { continuation.resume() }
        }
    }

    func isRunning(group: Int) -> Bool {
        storage.withLock { $0.index[.group(group)] != nil }
    }

    /// The actions whose effects are running, oldest first.
    var runningGroups: [Int] {
        storage.withLock { storage in
            storage.index.keys.compactMap { if case .group(let group) = $0 { group } else { nil } }
        }.sorted()
    }

    /// What the throttled effects of an id have in common.
    func throttle<State: Sendable>(_ id: CancelID, in scope: EffectScope, make: () -> State) -> State {
        storage.withLock { storage in
            let address = Address.id(id, in: scope)
            if let state = storage.throttles[address] as? State { return state }
            let state = make()
            storage.throttles[address] = state
            return state
        }
    }
}

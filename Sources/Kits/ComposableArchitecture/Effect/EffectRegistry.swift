/// A task, whatever it returns.
protocol CancellableTask: Sendable {
    func cancel()
}

extension Task: CancellableTask {}

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
        /// The action, sent from outside of the store, that it came from.
        var group: Int?
        /// None for most effects: those of the store's own feature, without an id.
        let addresses: [Address]
        var task: (any CancellableTask)?
        var isCancelled = false
    }

    private struct Group {
        var tokens: TokenSet
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private struct Storage {
        var nextToken = 0
        var entries: [Token: Entry] = [:]
        var groups: [Int: Group] = [:]
        var index: [Address: TokenSet] = [:]
        var isClosed = false

        mutating func insert(_ entry: Entry) -> Token {
            nextToken += 1
            let token = nextToken
            entries[token] = entry
            if let group = entry.group {
                groups[group, default: Group(tokens: TokenSet())].tokens.insert(token)
            }
            for address in entry.addresses { index[address, default: TokenSet()].insert(token) }
            return token
        }

        /// Returns who has waited for it.
        mutating func remove(_ token: Token) -> [CheckedContinuation<Void, Never>] {
            guard let entry = entries.removeValue(forKey: token) else { return [] }
            for address in entry.addresses {
                index[address]?.remove(token)
                if index[address]?.isEmpty ?? false { index[address] = nil }
            }
            guard let group = entry.group else { return [] }
            groups[group]?.tokens.remove(token)
            guard groups[group]?.tokens.isEmpty ?? false else { return [] }
            return groups.removeValue(forKey: group)?.waiting ?? []
        }

        /// The effects that run now belong to no action any more. Returns who has waited for them.
        mutating func forgetGroups() -> [CheckedContinuation<Void, Never>] {
            for token in entries.keys { entries[token]?.group = nil }
            defer { groups = [:] }
            return groups.values.flatMap(\.waiting)
        }

        func tokens(of address: Address) -> [Token] {
            if case .group(let group) = address {
                groups[group]?.tokens.sorted ?? []
            } else {
                index[address]?.sorted ?? []
            }
        }

        /// Returns the tasks to be cancelled.
        mutating func cancel(_ tokens: [Token]) -> [any CancellableTask] {
            tokens.compactMap { token in
                entries[token]?.isCancelled = true
                return entries[token]?.task
            }
        }
    }

    private let storage = Guarded(Storage())

    /// Makes room for an effect, before its task exists.
    func register(scope: EffectScope, ids: [CancelID], group: Int?) -> Token {
        let entry = Entry(group: group, addresses: Self.addresses(scope: scope, ids: ids))
        return storage.withLock { $0.insert(entry) }
    }

    private static func addresses(scope: EffectScope, ids: [CancelID]) -> [Address] {
        guard !scope.path.isEmpty || !ids.isEmpty else { return [] }
        var addresses = ids.map { Address.id($0, in: EffectScope()) }
        for depth in scope.path.indices {
            let child = EffectScope(path: Array(scope.path[...depth]))
            addresses.append(.scope(child))
            for id in ids { addresses.append(.id(id, in: child)) }
        }
        return addresses
    }

    /// Adds the task, which may have ended or been cancelled by now.
    func attach(_ token: Token, _ task: any CancellableTask) {
        let isCancelled = storage.withLock { storage in
            storage.entries[token]?.task = task
            return storage.isClosed || storage.entries[token]?.isCancelled ?? false
        }
        if isCancelled { task.cancel() }
    }

    /// Forgets an effect that has ended.
    func remove(_ token: Token) {
        for continuation in storage.withLock({ $0.remove(token) }) { continuation.resume() }
    }

    func cancel(_ address: Address) {
        for task in storage.withLock({ $0.cancel($0.tokens(of: address)) }) { task.cancel() }
    }

    /// Cancels everything, also what is registered from now on.
    func close() {
        let tasks = storage.withLock { storage in
            storage.isClosed = true
            return storage.entries.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
    }

    /// Waits until all that came from one action has ended.
    func finish(group: Int) async {
        await withCheckedContinuation { continuation in
            let isRunning = storage.withLock { storage in
                storage.groups[group]?.waiting.append(continuation) != nil
            }
            if !isRunning { continuation.resume() }
        }
    }

    func isRunning(group: Int) -> Bool {
        storage.withLock { $0.groups[group] != nil }
    }

    /// The actions whose effects are running, oldest first.
    var runningGroups: [Int] {
        storage.withLock { Array($0.groups.keys) }.sorted()
    }

    /// Lets the effects that run now go on without being counted.
    func forgetRunning() {
        for continuation in storage.withLock({ $0.forgetGroups() }) { continuation.resume() }
    }
}

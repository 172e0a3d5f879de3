/// Erases the types of a task's result and error.
protocol CancellableTask: Sendable {
    func cancel()
}

extension Task: CancellableTask {}

/// The running effects of one store, and the ids and scopes that cancel them.
///
/// Effects end on any thread, so the registry has a lock. No user code runs under the lock.
final class EffectRegistry: Sendable {
    typealias Token = Int

    enum Address: Sendable {
        /// All effects of a child feature.
        case scope(EffectScope)
        /// The effects with an id, in a feature and its children.
        case id(CancelID, in: EffectScope)
        /// All effects that one external action started, directly or indirectly.
        case group(Int)

        fileprivate var hash: Int {
            var hash = AddressHash()
            switch self {
            case .scope(let scope):
                for element in scope.path { hash.append(element) }
                return hash.of(nil)
            case .id(let id, let scope):
                for element in scope.path { hash.append(element) }
                return hash.of(id)
            case .group(let group): return group
            }
        }
    }

    private struct Entry {
        /// The external action that started the effect.
        var group: Int?
        let scope: EffectScope
        let ids: [CancelID]
        var task: (any CancellableTask)?
        var isCancelled = false

        /// Calls a closure with the hash of each address except the group's. An effect of the root
        /// feature without an id only has the group's address.
        func forEachHash(_ body: (Int) -> Void) {
            var hash = AddressHash()
            for id in ids { body(hash.of(id)) }
            for element in scope.path {
                hash.append(element)
                body(hash.of(nil))
                for id in ids { body(hash.of(id)) }
            }
        }

        func isAt(_ address: Address) -> Bool {
            switch address {
            case .scope(let scope): self.scope.path.starts(with: scope.path)
            case .id(let id, let scope):
                ids.contains(id) && self.scope.path.starts(with: scope.path)
            case .group(let group): self.group == group
            }
        }
    }

    /// Computes the hash of a scope or of an id in the scope, one path element at a time.
    private struct AddressHash {
        private var hasher = Hasher()

        mutating func append(_ element: EffectScope.Element) { hasher.combine(element) }

        func of(_ id: CancelID?) -> Int {
            var hasher = hasher
            hasher.combine(id)
            return hasher.finalize()
        }
    }

    private struct Group {
        var tokens: TokenSet
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private struct Storage {
        var nextToken = 0
        var entries: [Token: Entry] = [:]
        var groups: [Int: Group] = [:]
        /// Tokens by the hash of their addresses. The addresses themselves would take kilobytes per
        /// store.
        var index: [Int: TokenSet] = [:]
        var isClosed = false

        mutating func insert(_ entry: Entry) -> Token {
            nextToken += 1
            let token = nextToken
            entries[token] = entry
            if let group = entry.group {
                groups[group, default: Group(tokens: TokenSet())].tokens.insert(token)
            }
            entry.forEachHash { index[$0, default: TokenSet()].insert(token) }
            return token
        }

        /// Removes an effect. Returns the continuations to resume if its group has ended.
        mutating func remove(_ token: Token) -> [CheckedContinuation<Void, Never>] {
            guard let entry = entries.removeValue(forKey: token) else { return [] }
            entry.forEachHash { hash in
                index[hash]?.remove(token)
                if index[hash]?.isEmpty ?? false { index[hash] = nil }
            }
            guard let group = entry.group else { return [] }
            groups[group]?.tokens.remove(token)
            guard groups[group]?.tokens.isEmpty ?? false else { return [] }
            return groups.removeValue(forKey: group)?.waiting ?? []
        }

        /// Removes all groups, but not their effects. Returns the continuations to resume.
        mutating func forgetGroups() -> [CheckedContinuation<Void, Never>] {
            for token in entries.keys { entries[token]?.group = nil }
            defer { groups = [:] }
            return groups.values.flatMap(\.waiting)
        }

        func tokens(of address: Address) -> [Token] {
            if case .group(let group) = address { return groups[group]?.tokens.sorted ?? [] }
            let tokens = index[address.hash]?.sorted ?? []
            // Removes effects whose address only has the same hash.
            return tokens.filter { entries[$0]?.isAt(address) ?? false }
        }

        mutating func cancel(_ tokens: [Token]) -> [any CancellableTask] {
            tokens.compactMap { token in
                entries[token]?.isCancelled = true
                return entries[token]?.task
            }
        }
    }

    private let storage = Guarded(Storage())

    /// Registers an effect. The caller passes its task to ``attach(_:_:)``.
    func register(scope: EffectScope, ids: [CancelID], group: Int?) -> Token {
        let entry = Entry(group: group, scope: scope, ids: ids)
        return storage.withLock { $0.insert(entry) }
    }

    /// Adds the task of an effect. Cancels the task if its effect is already cancelled.
    func attach(_ token: Token, _ task: any CancellableTask) {
        let isCancelled = storage.withLock { storage in
            storage.entries[token]?.task = task
            return storage.isClosed || storage.entries[token]?.isCancelled ?? false
        }
        if isCancelled { task.cancel() }
    }

    func remove(_ token: Token) {
        for continuation in storage.withLock({ $0.remove(token) }) { continuation.resume() }
    }

    func cancel(_ address: Address) {
        for task in storage.withLock({ $0.cancel($0.tokens(of: address)) }) { task.cancel() }
    }

    /// Cancels all effects, and every effect registered later.
    func close() {
        let tasks = storage.withLock { storage in
            storage.isClosed = true
            return storage.entries.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
    }

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

    var runningGroups: [Int] {
        storage.withLock { Array($0.groups.keys) }.sorted()
    }

    /// Detaches the running effects from their groups.
    func forgetRunning() {
        for continuation in storage.withLock({ $0.forgetGroups() }) { continuation.resume() }
    }
}

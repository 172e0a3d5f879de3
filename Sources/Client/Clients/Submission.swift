/// What became of something the person did: the server has said yes, or it waits in the device's
/// queue and will be sent.
public enum Submission<Value: Sendable>: Sendable {
    case confirmed(Value)
    /// On disk, and not with the server yet. It goes out by itself (product.md, "Offline").
    case waiting
}

extension Submission: Equatable where Value: Equatable {}

extension Submission {
    public var isWaiting: Bool {
        if case .waiting = self { true } else { false }
    }

    /// What the server answered; nil while it waits.
    public var confirmed: Value? {
        if case .confirmed(let value) = self { value } else { nil }
    }
}

/// One page of a list that is newest first.
public struct ListPage<Item: Sendable>: Sendable {
    public var items: [Item]
    /// Where the next page begins; nil at the end.
    public var next: String?

    public init(items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }
}

extension ListPage: Equatable where Item: Equatable {}

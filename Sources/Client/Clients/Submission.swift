/// The result of a person's action: confirmed by the server, or queued on the device.
public enum Submission<Value: Sendable>: Sendable {
    case confirmed(Value)
    /// The action is on disk. The queue will send the action (product.md, "Offline").
    case waiting
}

extension Submission: Equatable where Value: Equatable {}

extension Submission {
    public var isWaiting: Bool {
        if case .waiting = self { true } else { false }
    }

    /// nil if the action was queued.
    public var confirmed: Value? {
        if case .confirmed(let value) = self { value } else { nil }
    }
}

/// One page of a list that is newest first.
public struct ListPage<Item: Sendable>: Sendable {
    public var items: [Item]
    /// The cursor of the next page; nil at the end.
    public var next: String?

    public init(items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }
}

extension ListPage: Equatable where Item: Equatable {}

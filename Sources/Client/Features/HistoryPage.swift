import Foundation

/// A page of a history that a screen loads page by page. The newest item comes first.
public struct HistoryPage<Item: Equatable & Sendable>: Equatable, Sendable {
    public var items: [Item]
    /// A cursor; nil at the end.
    public var next: String?
    public var isFirst: Bool

    public init(items: [Item], next: String?, isFirst: Bool) {
        self.items = items
        self.next = next
        self.isFirst = isFirst
    }

    static var none: Self { Self(items: [], next: nil, isFirst: true) }
}

extension Array {
    /// Inserts an item of a history before the first older one.
    mutating func insert(_ item: Element, newestFirst time: KeyPath<Element, Date>) {
        let place = firstIndex { $0[keyPath: time] < item[keyPath: time] } ?? endIndex
        insert(item, at: place)
    }
}

import Foundation
import OrderedCollections

extension IdentifiedArray {
    /// Adds an element at the end, when its id is not there yet.
    ///
    /// - Returns: Whether it was added, and the position of its id.
    @discardableResult
    @inlinable
    public mutating func append(_ item: Element) -> (inserted: Bool, index: Int) {
        self.insert(item, at: self.endIndex)
    }

    /// Adds elements at the end, those whose id is not there yet.
    public mutating func append(contentsOf newElements: some Sequence<Element>) {
        self.reserveCapacity(self.count + newElements.underestimatedCount)
        for element in newElements {
            self.append(element)
        }
    }

    /// Adds an element at a position, when its id is not there yet.
    ///
    /// - Returns: Whether it was added, and the position of its id.
    @discardableResult
    @inlinable
    public mutating func insert(_ newElement: Element, at i: Int) -> (inserted: Bool, index: Int) {
        let id = self.id(of: newElement)
        if let index = self.dictionary.index(forKey: id) { return (false, index) }
        self.dictionary.updateValue(newElement, forKey: id, insertingAt: i)
        return (true, i)
    }

    /// Replaces the element at a position by one of the same id. Another id reports an issue.
    ///
    /// - Returns: The element that was there.
    @discardableResult
    public mutating func update(_ item: Element, at i: Int) -> Element {
        let old = self[i]
        self[i] = item
        return old
    }

    /// Replaces the element of the same id, or adds this one at the end.
    ///
    /// - Returns: The element that was there.
    @discardableResult
    @inlinable
    public mutating func updateOrAppend(_ item: Element) -> Element? {
        self.dictionary.updateValue(item, forKey: self.id(of: item))
    }

    /// Removes the element of an id.
    @discardableResult
    @inlinable
    public mutating func remove(id: ID) -> Element? {
        self.dictionary.removeValue(forKey: id)
    }

    /// Removes the element that has the id of another.
    @discardableResult
    public mutating func remove(_ element: Element) -> Element? {
        self.remove(id: self.id(of: element))
    }

    /// Removes the element at a position.
    @discardableResult
    public mutating func remove(at index: Int) -> Element {
        self.dictionary.remove(at: index).value
    }

    /// Removes the elements at offsets.
    public mutating func remove(atOffsets offsets: IndexSet) {
        for range in offsets.rangeView.reversed() {
            self.dictionary.removeSubrange(range)
        }
    }

    /// Removes all elements.
    public mutating func removeAll(keepingCapacity keepCapacity: Bool = false) {
        self.dictionary.removeAll(keepingCapacity: keepCapacity)
    }

    /// Removes the elements that a condition holds for.
    public mutating func removeAll(
        where shouldBeRemoved: (Element) throws -> Bool
    ) rethrows {
        try self.dictionary.removeAll { try shouldBeRemoved($0.value) }
    }

    /// Removes the first element.
    @discardableResult
    public mutating func removeFirst() -> Element {
        self.dictionary.removeFirst().value
    }

    /// Removes the first elements.
    public mutating func removeFirst(_ n: Int) {
        self.dictionary.removeFirst(n)
    }

    /// Removes the last element.
    @discardableResult
    public mutating func removeLast() -> Element {
        self.dictionary.removeLast().value
    }

    /// Removes the last elements.
    public mutating func removeLast(_ n: Int) {
        self.dictionary.removeLast(n)
    }

    /// Removes the elements of a range.
    public mutating func removeSubrange(_ bounds: some RangeExpression<Int>) {
        self.dictionary.removeSubrange(bounds)
    }

    /// Moves the elements at offsets, in their order, to before the element that is at another
    /// offset now.
    public mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
        let moved = source.map { self.dictionary.elements[$0] }
        let target = destination - source.count(in: 0..<destination)
        self.remove(atOffsets: source)
        for (offset, (id, element)) in moved.enumerated() {
            self.dictionary.updateValue(element, forKey: id, insertingAt: target + offset)
        }
    }

    /// Makes room for elements, so that adding them moves nothing.
    @inlinable
    public mutating func reserveCapacity(_ minimumCapacity: Int) {
        self.dictionary.reserveCapacity(minimumCapacity)
    }
}

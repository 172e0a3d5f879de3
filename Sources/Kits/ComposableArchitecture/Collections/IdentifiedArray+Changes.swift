import Foundation
import OrderedCollections

extension IdentifiedArray {
    /// Appends an element unless its id is already present.
    ///
    /// - Returns: Whether it was appended, and the position of its id.
    @discardableResult
    @inlinable
    public mutating func append(_ item: Element) -> (inserted: Bool, index: Int) {
        self.insert(item, at: self.endIndex)
    }

    /// Appends the elements with ids that aren't present yet.
    public mutating func append(contentsOf newElements: some Sequence<Element>) {
        self.reserveCapacity(self.count + newElements.underestimatedCount)
        for element in newElements {
            self.append(element)
        }
    }

    /// Inserts an element at a position unless its id is already present.
    ///
    /// - Returns: Whether it was inserted, and the position of its id.
    @discardableResult
    @inlinable
    public mutating func insert(_ newElement: Element, at i: Int) -> (inserted: Bool, index: Int) {
        let id = self.id(of: newElement)
        if let index = self.dictionary.index(forKey: id) { return (false, index) }
        self.dictionary.updateValue(newElement, forKey: id, insertingAt: i)
        return (true, i)
    }

    /// Replaces the element at a position with one of the same id. Reports an issue if the new
    /// element has another id.
    ///
    /// - Returns: The previous element.
    @discardableResult
    public mutating func update(_ item: Element, at i: Int) -> Element {
        let old = self[i]
        self[i] = item
        return old
    }

    /// Replaces the element that has the same id. If there is none, appends the new element.
    ///
    /// - Returns: The previous element.
    @discardableResult
    @inlinable
    public mutating func updateOrAppend(_ item: Element) -> Element? {
        self.dictionary.updateValue(item, forKey: self.id(of: item))
    }

    /// Removes the element with an id.
    @discardableResult
    @inlinable
    public mutating func remove(id: ID) -> Element? {
        self.dictionary.removeValue(forKey: id)
    }

    /// Removes the element that has the same id as the given one.
    @discardableResult
    public mutating func remove(_ element: Element) -> Element? {
        self.remove(id: self.id(of: element))
    }

    /// Removes the element at a position.
    @discardableResult
    public mutating func remove(at index: Int) -> Element {
        self.dictionary.remove(at: index).value
    }

    /// Removes the elements at the given offsets.
    public mutating func remove(atOffsets offsets: IndexSet) {
        for range in offsets.rangeView.reversed() {
            self.dictionary.removeSubrange(range)
        }
    }

    /// Removes all elements.
    public mutating func removeAll(keepingCapacity keepCapacity: Bool = false) {
        self.dictionary.removeAll(keepingCapacity: keepCapacity)
    }

    /// Removes the elements that satisfy a condition.
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

    /// Removes the elements in a range.
    public mutating func removeSubrange(_ bounds: some RangeExpression<Int>) {
        self.dictionary.removeSubrange(bounds)
    }

    /// Moves the elements at the given offsets, keeping their order. They end up directly before
    /// the element that was at `destination`.
    public mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
        let moved = source.map { self.dictionary.elements[$0] }
        let target = destination - source.count(in: 0..<destination)
        self.remove(atOffsets: source)
        for (offset, (id, element)) in moved.enumerated() {
            self.dictionary.updateValue(element, forKey: id, insertingAt: target + offset)
        }
    }

    /// Reserves capacity, so that adding elements needs no reallocation.
    @inlinable
    public mutating func reserveCapacity(_ minimumCapacity: Int) {
        self.dictionary.reserveCapacity(minimumCapacity)
    }
}

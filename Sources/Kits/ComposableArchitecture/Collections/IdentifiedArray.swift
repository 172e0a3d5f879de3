import Foundation
import IssueReporting
import OrderedCollections

/// An identified array whose elements are `Identifiable`.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

/// An array with unique ids that finds an element by id or by position in constant time.
///
/// Replacing an element by one with a different id reports an issue.
public struct IdentifiedArray<ID: Hashable, Element> {
    @usableFromInline var dictionary: OrderedDictionary<ID, Element>
    @usableFromInline let idOfElement: (Element) -> ID

    @usableFromInline
    init(dictionary: OrderedDictionary<ID, Element>, idOfElement: @escaping (Element) -> ID) {
        self.dictionary = dictionary
        self.idOfElement = idOfElement
    }

    /// Creates an empty array. The key path leads to an element's id.
    @inlinable
    public init(id: KeyPath<Element, ID> & Sendable) {
        self.init(dictionary: [:], idOfElement: { $0[keyPath: id] })
    }

    @inlinable
    public init() where Element: Identifiable, Element.ID == ID {
        self.init(dictionary: [:], idOfElement: { $0.id })
    }

    @inlinable
    public var ids: OrderedSet<ID> {
        self.dictionary.keys
    }

    @inlinable
    public var elements: [Element] {
        self.dictionary.values.elements
    }

    /// The element with an id. Setting `nil` removes the element. Setting an element under a new id
    /// appends the element.
    ///
    /// Reports an issue if the new element's own id isn't `id`.
    @inlinable
    public subscript(id id: ID) -> Element? {
        get { self.dictionary[id] }
        _modify {
            yield &self.dictionary[id]
            if let element = self.dictionary[id], self.id(of: element) != id,
                let position = self.dictionary.index(forKey: id)
            {
                self.reportChangedID(at: position)
            }
        }
    }

    /// Returns the position of the element with an id.
    @inlinable
    public func index(id: ID) -> Int? {
        self.dictionary.index(forKey: id)
    }

    @inlinable
    func id(of element: Element) -> ID {
        self.idOfElement(element)
    }

    /// An empty array with the same ``idOfElement``.
    private var emptied: Self {
        Self(dictionary: [:], idOfElement: self.idOfElement)
    }

    /// Reports that the element at a position was given a new id. Stores the element under the new
    /// id, or removes the element if the new id is taken.
    @usableFromInline
    mutating func reportChangedID(at position: Int) {
        let (key, element) = self.dictionary.remove(at: position)
        let id = self.id(of: element)
        reportIssue(
            """
            The element of the id '\(key)' was replaced by one of the id '\(id)'. Remove it and \
            insert the new one instead.
            """
        )
        if self.dictionary[id] == nil {
            self.dictionary.updateValue(element, forKey: id, insertingAt: position)
        }
    }
}

// Unchecked because `idOfElement` isn't declared Sendable. Safe, because the closure only reads a
// `Sendable` key path or `Identifiable.id`.
extension IdentifiedArray: @unchecked Sendable where ID: Sendable, Element: Sendable {}

extension IdentifiedArray: Equatable where Element: Equatable {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.elements == rhs.elements
    }
}

extension IdentifiedArray: Hashable where Element: Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.elements)
    }
}

extension IdentifiedArray {
    /// Creates an array. Reports an issue for each duplicate id and skips that element.
    public init(
        uniqueElements elements: some Sequence<Element>, id: KeyPath<Element, ID> & Sendable
    ) {
        self.init(id: id)
        self.appendUnique(elements)
    }

    public init(uniqueElements elements: some Sequence<Element>)
    where Element: Identifiable, Element.ID == ID {
        self.init()
        self.appendUnique(elements)
    }

    /// Creates an array. Combines elements with the same id, at the position of the first.
    @inlinable
    public init(
        _ elements: some Sequence<Element>,
        id: KeyPath<Element, ID> & Sendable,
        uniquingIDsWith combine: (Element, Element) throws -> Element
    ) rethrows {
        self.init(id: id)
        try self.append(elements, uniquingIDsWith: combine)
    }

    @inlinable
    public init(
        _ elements: some Sequence<Element>,
        uniquingIDsWith combine: (Element, Element) throws -> Element
    ) rethrows where Element: Identifiable, Element.ID == ID {
        self.init()
        try self.append(elements, uniquingIDsWith: combine)
    }

    public init(_ elements: Self) {
        self = elements
    }

    private mutating func appendUnique(_ elements: some Sequence<Element>) {
        self.reserveCapacity(elements.underestimatedCount)
        for element in elements where !self.append(element).inserted {
            reportIssue(
                """
                The id '\(self.id(of: element))' is in the elements more than once. The first \
                element is kept.
                """
            )
        }
    }

    @inlinable
    mutating func append(
        _ elements: some Sequence<Element>,
        uniquingIDsWith combine: (Element, Element) throws -> Element
    ) rethrows {
        self.reserveCapacity(elements.underestimatedCount)
        for element in elements {
            let id = self.id(of: element)
            guard let earlier = self.dictionary.updateValue(element, forKey: id) else { continue }
            self.dictionary[id] = try combine(earlier, element)
        }
    }
}

extension IdentifiedArray: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.elements)
    }
}

extension IdentifiedArray: Decodable where Element: Decodable & Identifiable, Element.ID == ID {
    /// - Throws: `DecodingError.dataCorrupted` if an id occurs more than once.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.singleValueContainer()
        for element in try container.decode([Element].self) where !self.append(element).inserted {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "The id '\(element.id)' is in the elements more than once."
            )
        }
    }
}

extension IdentifiedArray: RandomAccessCollection, MutableCollection {
    public typealias Index = Int
    public typealias Indices = Range<Int>

    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { self.dictionary.count }
    @inlinable public var count: Int { self.dictionary.count }
    @inlinable public var isEmpty: Bool { self.dictionary.isEmpty }
    @inlinable public var indices: Range<Int> { 0..<self.dictionary.count }

    @inlinable public func index(after position: Int) -> Int { position + 1 }
    @inlinable public func index(before position: Int) -> Int { position - 1 }

    /// The element at a position. Reports an issue if a new element has a different id.
    @inlinable
    public subscript(position: Int) -> Element {
        get { self.dictionary.values[position] }
        _modify {
            yield &self.dictionary.values[position]
            if self.id(of: self.dictionary.values[position]) != self.dictionary.keys[position] {
                self.reportChangedID(at: position)
            }
        }
    }

    public func withContiguousStorageIfAvailable<R>(
        _ body: (UnsafeBufferPointer<Element>) throws -> R
    ) rethrows -> R? {
        try self.elements.withContiguousStorageIfAvailable(body)
    }

    public mutating func swapAt(_ first: Int, _ second: Int) {
        self.dictionary.swapAt(first, second)
    }

    public mutating func partition(
        by belongsInSecondPartition: (Element) throws -> Bool
    ) rethrows -> Int {
        try self.dictionary.partition { try belongsInSecondPartition($0.value) }
    }

    public mutating func reverse() {
        self.dictionary.reverse()
    }

    public mutating func shuffle() {
        self.dictionary.shuffle()
    }

    public mutating func shuffle(using generator: inout some RandomNumberGenerator) {
        self.dictionary.shuffle(using: &generator)
    }

    public mutating func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
        try self.dictionary.sort { try areInIncreasingOrder($0.value, $1.value) }
    }

    public mutating func sort() where Element: Comparable {
        self.sort(by: <)
    }

    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Self {
        var result = self.emptied
        for element in self where try isIncluded(element) {
            result.append(element)
        }
        return result
    }
}

extension IdentifiedArray: ExpressibleByArrayLiteral where Element: Identifiable, Element.ID == ID {
    public init(arrayLiteral elements: Element...) {
        self.init(uniqueElements: elements)
    }
}

extension IdentifiedArray: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    public var description: String { self.elements.description }

    public var debugDescription: String { "IdentifiedArray(\(self.elements.debugDescription))" }

    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: self.elements, displayStyle: .collection)
    }
}

extension IdentifiedArray {
    /// Appends an element if its id is new.
    ///
    /// - Returns: Whether the element was appended, and the position of the element with the id.
    @discardableResult
    @inlinable
    public mutating func append(_ item: Element) -> (inserted: Bool, index: Int) {
        self.insert(item, at: self.endIndex)
    }

    public mutating func append(contentsOf newElements: some Sequence<Element>) {
        self.reserveCapacity(self.count + newElements.underestimatedCount)
        for element in newElements {
            self.append(element)
        }
    }

    /// Inserts an element at a position if its id is new.
    ///
    /// - Returns: Whether the element was inserted, and the position of the element with the id.
    @discardableResult
    @inlinable
    public mutating func insert(_ newElement: Element, at i: Int) -> (inserted: Bool, index: Int) {
        let id = self.id(of: newElement)
        if let index = self.dictionary.index(forKey: id) { return (false, index) }
        self.dictionary.updateValue(newElement, forKey: id, insertingAt: i)
        return (true, i)
    }

    /// Replaces the element at a position. Reports an issue if the new element has a different id.
    ///
    /// - Returns: The previous element.
    @discardableResult
    public mutating func update(_ item: Element, at i: Int) -> Element {
        let old = self[i]
        self[i] = item
        return old
    }

    /// Replaces the element with the same id, or appends the new element if the id is new.
    ///
    /// - Returns: The previous element.
    @discardableResult
    @inlinable
    public mutating func updateOrAppend(_ item: Element) -> Element? {
        self.dictionary.updateValue(item, forKey: self.id(of: item))
    }

    @discardableResult
    @inlinable
    public mutating func remove(id: ID) -> Element? {
        self.dictionary.removeValue(forKey: id)
    }

    /// Removes the element with the same id as `element`.
    @discardableResult
    public mutating func remove(_ element: Element) -> Element? {
        self.remove(id: self.id(of: element))
    }

    @discardableResult
    public mutating func remove(at index: Int) -> Element {
        self.dictionary.remove(at: index).value
    }

    public mutating func remove(atOffsets offsets: IndexSet) {
        for range in offsets.rangeView.reversed() {
            self.dictionary.removeSubrange(range)
        }
    }

    public mutating func removeAll(keepingCapacity keepCapacity: Bool = false) {
        self.dictionary.removeAll(keepingCapacity: keepCapacity)
    }

    public mutating func removeAll(
        where shouldBeRemoved: (Element) throws -> Bool
    ) rethrows {
        try self.dictionary.removeAll { try shouldBeRemoved($0.value) }
    }

    @discardableResult
    public mutating func removeFirst() -> Element {
        self.dictionary.removeFirst().value
    }

    public mutating func removeFirst(_ n: Int) {
        self.dictionary.removeFirst(n)
    }

    @discardableResult
    public mutating func removeLast() -> Element {
        self.dictionary.removeLast().value
    }

    public mutating func removeLast(_ n: Int) {
        self.dictionary.removeLast(n)
    }

    public mutating func removeSubrange(_ bounds: some RangeExpression<Int>) {
        self.dictionary.removeSubrange(bounds)
    }

    /// Moves elements to a position directly before the element at `destination`. The moved
    /// elements keep their order.
    public mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
        let moved = source.map { self.dictionary.elements[$0] }
        let target = destination - source.count(in: 0..<destination)
        self.remove(atOffsets: source)
        for (offset, (id, element)) in moved.enumerated() {
            self.dictionary.updateValue(element, forKey: id, insertingAt: target + offset)
        }
    }

    @inlinable
    public mutating func reserveCapacity(_ minimumCapacity: Int) {
        self.dictionary.reserveCapacity(minimumCapacity)
    }
}

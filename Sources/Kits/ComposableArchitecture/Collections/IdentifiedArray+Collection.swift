import OrderedCollections

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

    /// The element at a position. Setting an element with a different id reports an issue.
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

    /// Reverses the order of the elements.
    public mutating func reverse() {
        self.dictionary.reverse()
    }

    /// Shuffles the elements.
    public mutating func shuffle() {
        self.dictionary.shuffle()
    }

    /// Shuffles the elements with a random number generator.
    public mutating func shuffle(using generator: inout some RandomNumberGenerator) {
        self.dictionary.shuffle(using: &generator)
    }

    /// Sorts the elements.
    public mutating func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
        try self.dictionary.sort { try areInIncreasingOrder($0.value, $1.value) }
    }

    /// Sorts the elements.
    public mutating func sort() where Element: Comparable {
        self.sort(by: <)
    }

    /// Returns the elements that satisfy a condition.
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

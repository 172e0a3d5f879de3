import IssueReporting
import OrderedCollections

/// An array of `Identifiable` elements.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

/// An array that finds its elements by id as quickly as by position. Each id occurs only once.
///
/// An element keeps its id while it is in the array. An operation that changes the id of an element
/// reports an issue.
public struct IdentifiedArray<ID: Hashable, Element> {
    @usableFromInline var dictionary: OrderedDictionary<ID, Element>
    @usableFromInline let idOfElement: (Element) -> ID

    @usableFromInline
    init(dictionary: OrderedDictionary<ID, Element>, idOfElement: @escaping (Element) -> ID) {
        self.dictionary = dictionary
        self.idOfElement = idOfElement
    }

    /// Creates an empty array whose elements have their ids at a key path.
    @inlinable
    public init(id: KeyPath<Element, ID> & Sendable) {
        self.init(dictionary: [:], idOfElement: { $0[keyPath: id] })
    }

    /// Creates an empty array.
    @inlinable
    public init() where Element: Identifiable, Element.ID == ID {
        self.init(dictionary: [:], idOfElement: { $0.id })
    }

    /// The ids, in the order of the elements.
    @inlinable
    public var ids: OrderedSet<ID> {
        self.dictionary.keys
    }

    /// The elements.
    @inlinable
    public var elements: [Element] {
        self.dictionary.values.elements
    }

    /// The element with an id. Setting `nil` removes the element. If the id isn't present, setting
    /// an element appends it.
    ///
    /// Reports an issue if the element that is set has another id than the given one.
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

    /// Returns the position of an id; `nil` if it isn't present.
    @inlinable
    public func index(id: ID) -> Int? {
        self.dictionary.index(forKey: id)
    }

    @inlinable
    func id(of element: Element) -> ID {
        self.idOfElement(element)
    }

    /// An empty array with the same function for its elements' ids.
    var emptied: Self {
        Self(dictionary: [:], idOfElement: self.idOfElement)
    }

    /// Reports that the element at a position has changed its id. Stores the element under the new
    /// id, or removes it if another element has that id.
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

// Unchecked because `idOfElement` is not declared Sendable. It always reads a `Sendable` key path
// or `Identifiable.id`, and has no state.
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

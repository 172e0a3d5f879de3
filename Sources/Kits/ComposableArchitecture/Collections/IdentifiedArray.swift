import IssueReporting
import OrderedCollections

/// An array of `Identifiable` elements.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

/// An array whose elements are found by their id as quickly as by their position, and in which each
/// id is there once.
///
/// An element keeps its id for as long as it is in the array. What would break this reports an
/// issue.
public struct IdentifiedArray<ID: Hashable, Element> {
    @usableFromInline var dictionary: OrderedDictionary<ID, Element>
    @usableFromInline let idOfElement: (Element) -> ID

    @usableFromInline
    init(dictionary: OrderedDictionary<ID, Element>, idOfElement: @escaping (Element) -> ID) {
        self.dictionary = dictionary
        self.idOfElement = idOfElement
    }

    /// An empty array whose elements have their id at a key path.
    @inlinable
    public init(id: KeyPath<Element, ID> & Sendable) {
        self.init(dictionary: [:], idOfElement: { $0[keyPath: id] })
    }

    /// An empty array.
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

    /// The element of an id. Setting `nil` removes it; setting an element where there is none
    /// appends it.
    ///
    /// An element that comes with another id reports an issue.
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

    /// The position of an id, `nil` when it is not there.
    @inlinable
    public func index(id: ID) -> Int? {
        self.dictionary.index(forKey: id)
    }

    @inlinable
    func id(of element: Element) -> ID {
        self.idOfElement(element)
    }

    /// An empty array of the same kind.
    var emptied: Self {
        Self(dictionary: [:], idOfElement: self.idOfElement)
    }

    /// Takes the element at a position, whose id has changed, under its new id, or out when that is
    /// taken.
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

// Unchecked for the function that gives an element's id: it is a `Sendable` key path or
// `Identifiable.id`, and holds no state.
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

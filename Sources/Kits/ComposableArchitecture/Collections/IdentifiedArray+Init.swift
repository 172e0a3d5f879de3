import IssueReporting
import OrderedCollections

extension IdentifiedArray {
    /// Creates an array from elements with unique ids. Skips duplicates and reports an issue for
    /// each.
    public init(
        uniqueElements elements: some Sequence<Element>, id: KeyPath<Element, ID> & Sendable
    ) {
        self.init(id: id)
        self.appendUnique(elements)
    }

    /// Creates an array from elements with unique ids. Skips duplicates and reports an issue for
    /// each.
    public init(uniqueElements elements: some Sequence<Element>)
    where Element: Identifiable, Element.ID == ID {
        self.init()
        self.appendUnique(elements)
    }

    /// Creates an array from elements. Elements with the same id are combined into one, at the
    /// position of the first.
    @inlinable
    public init(
        _ elements: some Sequence<Element>,
        id: KeyPath<Element, ID> & Sendable,
        uniquingIDsWith combine: (Element, Element) throws -> Element
    ) rethrows {
        self.init(id: id)
        try self.append(elements, uniquingIDsWith: combine)
    }

    /// Creates an array from elements. Elements with the same id are combined into one, at the
    /// position of the first.
    @inlinable
    public init(
        _ elements: some Sequence<Element>,
        uniquingIDsWith combine: (Element, Element) throws -> Element
    ) rethrows where Element: Identifiable, Element.ID == ID {
        self.init()
        try self.append(elements, uniquingIDsWith: combine)
    }

    /// Creates a copy of an identified array.
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

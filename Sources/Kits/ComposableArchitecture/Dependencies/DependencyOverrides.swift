/// The overridden values, by key.
///
/// Copies share a table of 2 KB. A value that is set in a copy is stored beside the table, so that
/// the table isn't copied. The features of a store set three such values.
struct DependencyOverrides: Sendable {
    /// The maximum number of values beside the table; searching more would be too slow.
    private static let mostBeside = 8

    private var table = Table()
    /// The values that are newer than those in the table. Each key occurs once.
    private var beside: [(key: ObjectIdentifier, box: any DependencyBox)] = []

    var isEmpty: Bool { table.boxes.isEmpty && beside.isEmpty }

    /// All keys; a key in both places occurs twice.
    var keys: [ObjectIdentifier] { table.boxes.keys + beside.map(\.key) }

    subscript(key: ObjectIdentifier) -> (any DependencyBox)? {
        beside.first { $0.key == key }?.box ?? table.boxes[key]
    }

    mutating func set(_ box: any DependencyBox, for key: ObjectIdentifier) {
        if let index = beside.firstIndex(where: { $0.key == key }) {
            beside[index].box = box
        } else if isKnownUniquelyReferenced(&table) {
            table.boxes[key] = box
        } else {
            beside.append((key, box))
            if beside.count > Self.mostBeside { takeTable() }
        }
    }

    private mutating func takeTable() {
        table = Table(table.boxes.merging(beside) { _, newer in newer })
        beside = []
    }

    /// Returns these overrides merged with `other`, which takes precedence.
    func merging(_ other: Self) -> Self {
        var merged = self
        merged.takeTable()
        for key in other.keys { if let box = other[key] { merged.set(box, for: key) } }
        return merged
    }

    /// `@unchecked` because `boxes` changes only in `set`, and only if no copy shares the table.
    private final class Table: @unchecked Sendable {
        var boxes: [ObjectIdentifier: any DependencyBox]

        init(_ boxes: [ObjectIdentifier: any DependencyBox] = [:]) { self.boxes = boxes }
    }
}

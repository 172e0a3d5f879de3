/// The overridden values, by key.
///
/// Copies share one table of about 2 KB. Values set in a copy are stored beside the table. A
/// store's features set about three such values.
struct DependencyOverrides: Sendable {
    /// The maximum number of values beside the table, because their search is linear.
    private static let mostBeside = 8

    private var table = Table()
    /// Values that take precedence over the table. Each key occurs once.
    private var beside: [(key: ObjectIdentifier, box: any DependencyBox)] = []

    var isEmpty: Bool { table.boxes.isEmpty && beside.isEmpty }

    /// All keys. A key that is both in the table and beside the table occurs twice.
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

    func merging(_ other: Self) -> Self {
        var merged = self
        merged.takeTable()
        for key in other.keys { if let box = other[key] { merged.set(box, for: key) } }
        return merged
    }

    /// `@unchecked` because only `set` changes `boxes`, and only while no copy shares the table.
    private final class Table: @unchecked Sendable {
        var boxes: [ObjectIdentifier: any DependencyBox]

        init(_ boxes: [ObjectIdentifier: any DependencyBox] = [:]) { self.boxes = boxes }
    }
}

/// The values that are set, by their keys.
///
/// Copies share a table. A value that is set in a copy comes beside the table, which would be
/// copied for it: features of one store set three such values, and each table takes 2 KB.
struct DependencyOverrides: Sendable {
    /// More are looked through too slowly.
    private static let mostBeside = 8

    private var table = Table()
    /// Newer than those of the table; each key once.
    private var beside: [(key: ObjectIdentifier, box: any DependencyBox)] = []

    var isEmpty: Bool { table.boxes.isEmpty && beside.isEmpty }

    /// A key that is in both places is here twice.
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

    /// These, and above them those of another.
    func merging(_ other: Self) -> Self {
        var merged = self
        merged.takeTable()
        for key in other.keys { if let box = other[key] { merged.set(box, for: key) } }
        return merged
    }

    /// `@unchecked` because `boxes` changes in `set` only, and there only while no copy shares it.
    private final class Table: @unchecked Sendable {
        var boxes: [ObjectIdentifier: any DependencyBox]

        init(_ boxes: [ObjectIdentifier: any DependencyBox] = [:]) { self.boxes = boxes }
    }
}

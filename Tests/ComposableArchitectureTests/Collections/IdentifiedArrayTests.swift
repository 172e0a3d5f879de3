import ComposableArchitecture
import Foundation
import Testing

private struct Fellow: Identifiable, Hashable, Codable, Comparable {
    let id: Int
    var name = ""

    static func < (lhs: Fellow, rhs: Fellow) -> Bool { lhs.id < rhs.id }
}

@Suite struct IdentifiedArrayTests {
    private var rows: IdentifiedArrayOf<Fellow> = [
        Fellow(id: 1, name: "a"), Fellow(id: 2, name: "b"), Fellow(id: 3, name: "c"),
    ]

    @Test func elementsAreFoundByIDAndPosition() {
        #expect(rows[id: 2]?.name == "b")
        #expect(rows[id: 9] == nil)
        #expect(rows[0].id == 1)
        #expect(rows.index(id: 3) == 2)
        #expect(rows.index(id: 9) == nil)
        #expect(rows.ids == [1, 2, 3])
        #expect(rows.elements.map(\.name) == ["a", "b", "c"])
        #expect(rows.count == 3)
        #expect(rows.first?.id == 1 && rows.last?.id == 3)
    }

    @Test mutating func elementsAreChangedInPlace() {
        rows[id: 2]?.name = "B"
        rows[0].name = "A"
        rows[id: 9]?.name = "nobody"
        #expect(rows.map(\.name) == ["A", "B", "c"])
    }

    @Test mutating func theIDSubscriptAppendsAndRemoves() {
        rows[id: 4] = Fellow(id: 4)
        #expect(rows.ids == [1, 2, 3, 4])
        rows[id: 1] = nil
        #expect(rows.ids == [2, 3, 4])
        rows[id: 3] = Fellow(id: 3, name: "new")
        #expect(rows.map(\.name) == ["b", "new", ""])
    }

    @Test mutating func aChangedIDReportsAnIssueAndKeepsTheArrayWhole() {
        withKnownIssue {
            rows[id: 2] = Fellow(id: 7)
        } matching: {
            $0.description.contains("id '2'")
        }
        #expect(rows.ids == [1, 7, 3])
        withKnownIssue { rows[0] = Fellow(id: 3, name: "twice") }
        #expect(rows.ids == [7, 3])
        #expect(rows[id: 3]?.name == "c")
        for row in rows { #expect(rows[id: row.id] == row) }
    }

    @Test mutating func appendAndInsertKeepWhatIsThere() {
        #expect(rows.append(Fellow(id: 4)) == (true, 3))
        #expect(rows.append(Fellow(id: 1, name: "other")) == (false, 0))
        #expect(rows.insert(Fellow(id: 0), at: 0) == (true, 0))
        #expect(rows.insert(Fellow(id: 3), at: 0) == (false, 3))
        rows.append(contentsOf: [Fellow(id: 5), Fellow(id: 2)])
        #expect(rows.ids == [0, 1, 2, 3, 4, 5])
        #expect(rows[id: 1]?.name == "a")
    }

    @Test mutating func updatesReplace() {
        #expect(rows.updateOrAppend(Fellow(id: 2, name: "B"))?.name == "b")
        #expect(rows.updateOrAppend(Fellow(id: 4)) == nil)
        #expect(rows.update(Fellow(id: 1, name: "A"), at: 0).name == "a")
        #expect(rows.map(\.name) == ["A", "B", "c", ""])
    }

    @Test mutating func removals() {
        #expect(rows.remove(id: 2)?.name == "b")
        #expect(rows.remove(id: 2) == nil)
        #expect(rows.remove(Fellow(id: 1))?.name == "a")
        #expect(rows.remove(at: 0).id == 3)
        #expect(rows.isEmpty)
        rows.append(contentsOf: (0..<10).map { Fellow(id: $0) })
        rows.removeAll { $0.id.isMultiple(of: 2) }
        #expect(rows.ids == [1, 3, 5, 7, 9])
        rows.remove(atOffsets: [0, 2, 4])
        #expect(rows.ids == [3, 7])
        #expect(rows.removeFirst().id == 3)
        #expect(rows.removeLast().id == 7)
        rows.append(contentsOf: (0..<10).map { Fellow(id: $0) })
        rows.removeFirst(2)
        rows.removeLast(2)
        rows.removeSubrange(1...2)
        rows.removeSubrange(3...)
        #expect(rows.ids == [2, 5, 6])
        rows.removeAll()
        #expect(rows.isEmpty)
    }

    @Test(arguments: [
        (IndexSet([0]), 3, [2, 3, 1, 4, 5]),
        (IndexSet([4]), 0, [5, 1, 2, 3, 4]),
        (IndexSet([1, 3]), 5, [1, 3, 5, 2, 4]),
        (IndexSet([0, 4]), 2, [2, 1, 5, 3, 4]),
        (IndexSet([2]), 2, [1, 2, 3, 4, 5]),
        (IndexSet([2]), 3, [1, 2, 3, 4, 5]),
        (IndexSet(), 3, [1, 2, 3, 4, 5]),
    ])
    func movesElements(source: IndexSet, destination: Int, expected: [Int]) {
        var array = IdentifiedArray(uniqueElements: 1...5, id: \.self)
        array.move(fromOffsets: source, toOffset: destination)
        #expect(Array(array.ids) == expected)
        #expect(array.elements == expected)
    }

    @Test mutating func orderIsChanged() {
        rows.sort { $0.name > $1.name }
        #expect(rows.ids == [3, 2, 1])
        rows.sort()
        #expect(rows.ids == [1, 2, 3])
        rows.reverse()
        #expect(rows.ids == [3, 2, 1])
        rows.swapAt(0, 1)
        #expect(rows.ids == [2, 3, 1])
        let pivot = rows.partition { $0.id > 1 }
        #expect(pivot == 1 && rows[0].id == 1)
        rows.shuffle()
        #expect(Set(rows.ids) == [1, 2, 3])
        for row in rows { #expect(rows[id: row.id] == row) }
    }

    @Test mutating func slicesAndFilters() {
        #expect(rows.filter { $0.id != 2 }.ids == [1, 3])
        #expect(rows[1...].map(\.id) == [2, 3])
        #expect(rows.contains(Fellow(id: 2, name: "b")))
        #expect(rows.reversed().map(\.id) == [3, 2, 1])
        #expect(IdentifiedArray(rows) == rows)
    }

    @Test func keyPathProvidesID() {
        var words = IdentifiedArray(uniqueElements: ["one", "three"], id: \.count)
        words.append("five")
        #expect(words.append("two") == (false, 0))
        #expect(words[id: 4] == "five")
        var empty = IdentifiedArray<Int, String>(id: \.count)
        empty.updateOrAppend("x")
        #expect(empty.ids == [1])
    }

    @Test func duplicatesAreCombined() {
        let united = IdentifiedArray(
            [Fellow(id: 1, name: "a"), Fellow(id: 2, name: "b"), Fellow(id: 1, name: "c")],
            uniquingIDsWith: { Fellow(id: $0.id, name: $0.name + $1.name) }
        )
        #expect(united.map(\.name) == ["ac", "b"])
    }

    @Test func duplicatesInUniqueElementsAreReported() {
        withKnownIssue {
            let rows: IdentifiedArrayOf<Fellow> = [
                Fellow(id: 1, name: "a"), Fellow(id: 1, name: "b"),
            ]
            #expect(rows.map(\.name) == ["a"])
        }
    }

    @Test func equalityAndHash() {
        let same = IdentifiedArray(uniqueElements: rows.elements)
        #expect(rows == same)
        #expect(rows.hashValue == same.hashValue)
        #expect(rows != IdentifiedArray(uniqueElements: rows.reversed()))
    }

    @Test func encodesAndDecodes() throws {
        let data = try JSONEncoder().encode(rows)
        #expect(try JSONDecoder().decode([Fellow].self, from: data) == rows.elements)
        #expect(try JSONDecoder().decode(IdentifiedArrayOf<Fellow>.self, from: data) == rows)
        let doubled = Data(#"[{"id":1,"name":"a"},{"id":1,"name":"b"}]"#.utf8)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(IdentifiedArrayOf<Fellow>.self, from: doubled)
        }
    }

    @Test func copiesAreValues() async {
        var copy = rows
        copy[id: 1]?.name = "changed"
        #expect(rows[id: 1]?.name == "a")
        let sent = rows
        let count = await Task.detached { sent.count }.value
        #expect(count == 3)
    }

    @Test func descriptions() {
        let numbers = IdentifiedArray(uniqueElements: [1, 2], id: \.self)
        #expect(numbers.description == "[1, 2]")
        #expect(numbers.debugDescription == "IdentifiedArray([1, 2])")
        #expect(Mirror(reflecting: numbers).children.count == 2)
    }
}

import ComposableArchitecture
import Foundation
import Observation
import Synchronization
import Testing

@ObservableState
private struct Counter: Equatable, Sendable {
    var count = 0
    var name: String = "counter"
    var note: String?
    let id: Int
    static var shared: Int { 1 }
    private(set) var secret = 1
    private var hidden = 2
    @ObservationStateIgnored var ignored = 0
    @ObservationStateIgnored @Clamped var clamped = 3
    var observed = 0 {
        didSet { changes += observed - oldValue }
    }
    @ObservationStateIgnored var changes = 0

    var double: Int {
        get { count * 2 }
        set { count = newValue / 2 }
    }

    struct Nested: Equatable, Sendable { var flag = false }
    var nested = Nested()

    init(count: Int = 0, id: Int) {
        self.count = count
        self.id = id
    }

    mutating func hide() { hidden += 1 }
}

@propertyWrapper
private struct Clamped: Equatable, Sendable {
    private var value: Int
    init(wrappedValue: Int) { value = min(wrappedValue, 10) }
    var wrappedValue: Int {
        get { value }
        set { value = min(newValue, 10) }
    }
}

@ObservableState
private struct Memberwise: Equatable, Hashable, Codable, Sendable {
    var title: String
    var count = 0
    var tags: [String] = []
}

@ObservableState
public struct Generic<Value: Equatable & Sendable>: Equatable, Sendable {
    public var value: Value
    public package(set) var other: Int = 1

    public init(value: Value) { self.value = value }
}

@ObservableState
private enum Screen: Equatable, Sendable {
    case list(Memberwise)
    case detail(id: Memberwise)
    case pair(Int, Int)
    case empty
}

@ObservableState
private struct Parent: Equatable, Sendable {
    @Presents var child: Memberwise?
    @Presents var preset: Memberwise? = Memberwise(title: "preset")
    var list: [Memberwise] = []
}

struct ObservableStateMacroTests {
    @Test func keepsValuesInitialisersAndAccess() {
        var counter = Counter(count: 2, id: 9)
        #expect(counter.count == 2)
        #expect(counter.name == "counter")
        #expect(counter.id == 9)
        #expect(counter.note == nil)
        #expect(counter.secret == 1)
        counter.double = 10
        #expect(counter.count == 5)
        counter.clamped = 20
        #expect(counter.clamped == 10)
        counter.nested.flag.toggle()
        #expect(counter.nested.flag)
    }

    @Test func runsObserversOfAProperty() {
        var counter = Counter(id: 1)
        counter.observed = 3
        counter.observed += 2
        #expect(counter.observed == 5)
        #expect(counter.changes == 5)
    }

    @Test func comparesByItsValues() {
        var first = Counter(id: 1)
        let second = Counter(id: 1)
        #expect(first == second)
        first.hide()
        #expect(first != second)
        #expect(Memberwise(title: "a") == Memberwise(title: "a", count: 0))
        #expect(
            Memberwise(title: "a").hashValue == Memberwise(title: "a", count: 0, tags: []).hashValue
        )
    }

    @Test func isCodable() throws {
        let value = Memberwise(title: "a", count: 3, tags: ["x"])
        let decoded = try JSONDecoder().decode(Memberwise.self, from: JSONEncoder().encode(value))
        #expect(decoded == value)
    }

    @Test func observesPropertiesSeparately() {
        let box = Box(Counter(id: 1))
        let changes = box.changes(of: \.count)
        box.value.name = "other"
        box.value.ignored = 4
        #expect(changes.value == 0)
        box.value.count += 1
        #expect(changes.value == 1)
    }

    @Test func observesSetter() {
        let box = Box(Counter(id: 1))
        let changes = box.changes(of: \.note)
        box.value.note = "new"
        #expect(changes.value == 1)
    }

    @Test func supportsGenerics() {
        let box = Box(Generic(value: 1))
        let changes = box.changes(of: \.value)
        box.value.other = 3
        #expect(changes.value == 0)
        box.value.value = 2
        #expect(changes.value == 1)
    }

    @Test func identifiesEnumCases() {
        let list = Memberwise(title: "a")
        #expect(Screen.list(list)._$id == Screen.list(list)._$id)
        #expect(Screen.list(list)._$id != Screen.detail(id: list)._$id)
        #expect(Screen.empty._$id == Screen.empty._$id)
        #expect(Screen.empty._$id != Screen.pair(1, 2)._$id)
        var screen = Screen.detail(id: list)
        screen._$willModify()
        #expect(screen == .detail(id: list))
    }

    @Test func presentsChild() {
        var parent = Parent()
        #expect(parent.child == nil)
        #expect(parent.preset?.title == "preset")
        parent.child = Memberwise(title: "child")
        parent.child?.count += 1
        #expect(parent.child?.count == 1)
        #expect(parent.$child.wrappedValue?.count == 1)
        parent.$child = PresentationState(wrappedValue: nil)
        #expect(parent.child == nil)
        #expect(Parent(child: Memberwise(title: "b")).child?.title == "b")
        #expect(Parent() == Parent())
        #expect(Parent(child: Memberwise(title: "b")) != Parent())
    }

    @Test func notifiesFromEitherSideOfPresentation() {
        let box = Box(Parent())
        let changes = box.changes(of: \.child)
        box.value.$child = PresentationState(wrappedValue: Memberwise(title: "a"))
        #expect(changes.value == 1)
        let more = box.changes(of: \.child)
        box.value.$child.wrappedValue = nil
        #expect(more.value == 1)
        let none = box.changes(of: \.child)
        box.value.list.append(Memberwise(title: "b"))
        #expect(none.value == 0)
    }

    @Test func inPlaceChangeOfPresentedChildIsNotReplacement() {
        let box = Box(Parent(child: Memberwise(title: "a")))
        let child = box.changes(of: \.child)
        let presentation = box.changes(of: \.$child)
        let count = box.changes(of: \.child?.count)
        box.value.child?.count += 1
        #expect(child.value == 0)
        #expect(presentation.value == 0)
        #expect(count.value == 1)
        box.value.$child.wrappedValue?.count += 1
        #expect(child.value == 0)
        #expect(presentation.value == 0)
        box.value.child = Memberwise(title: "a")
        #expect(child.value == 1)
        #expect(presentation.value == 1)
    }
}

/// Holds a state and notifies observers like a store.
private final class Box<Value: ObservableState> {
    var value: Value

    init(_ value: Value) { self.value = value }

    /// Observes the value at `keyPath`. Counts only the first change.
    func changes<Member>(of keyPath: KeyPath<Value, Member>) -> Changes {
        let changes = Changes()
        withObservationTracking {
            _ = value[keyPath: keyPath]
        } onChange: {
            changes.count.add(1, ordering: .relaxed)
        }
        return changes
    }
}

private final class Changes: Sendable {
    let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
}

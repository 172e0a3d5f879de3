import ComposableArchitecture
import Testing
import XCTest

/// A client with mutable state. A change in one test must not be visible in another test.
private struct Memory: DependencyKey {
    let count = LockIsolated(0)
    static let liveValue = Memory()
    static var testValue: Memory { Memory() }

    func next() -> Int {
        count.withValue {
            $0 += 1
            return $0
        }
    }
}

@Reducer
private struct Remembering {
    struct State: Equatable { var number = 0 }
    enum Action { case tap }
    @Dependency(Memory.self) var memory
    var body: some ReducerOf<Self> {
        Reduce { state, _ in
            state.number = memory.next()
            return .none
        }
    }
}

@Suite struct DependencyPerTestTests {
    @Test func firstTestHasOwnDefaults() {
        @Dependency(Memory.self) var memory
        let numbers = [memory.next(), memory.next()]
        #expect(numbers == [1, 2])
    }

    @Test func secondTestHasOwnDefaults() {
        @Dependency(Memory.self) var memory
        let numbers = [memory.next(), memory.next()]
        #expect(numbers == [1, 2])
    }

    @MainActor
    @Test func storeUsesDefaultsOfItsTest() async {
        @Dependency(Memory.self) var memory
        #expect(memory.next() == 1)
        let store = TestStore(initialState: Remembering.State()) { Remembering() }
        await store.send(.tap) { $0.number = 2 }
        #expect(memory.next() == 3)
    }
}

final class DependencyPerTestCase: XCTestCase {
    @MainActor
    func testOne() async {
        let store = TestStore(initialState: Remembering.State()) { Remembering() }
        await store.send(.tap) { $0.number = 1 }
        await store.send(.tap) { $0.number = 2 }
    }

    @MainActor
    func testOther() async {
        let store = TestStore(initialState: Remembering.State()) { Remembering() }
        await store.send(.tap) { $0.number = 1 }
    }
}

@Suite struct PrepareDependenciesTests {
    @Test func preparedValueIsDefault() async {
        prepareDependencies {
            $0.session = "prepared"
            $0.greeting.greet = { "prepared too" }
        }
        @Dependency(\.session) var session
        @Dependency(\.greeting) var greeting
        #expect(session == "prepared")
        #expect(greeting.greet() == "prepared too")
        let user = await Task { EagerClient.testValue.user }.value
        #expect(user == "prepared")
        withDependencies {
            $0.session = "set"
        } operation: {
            #expect(session == "set")
        }
        #expect(session == "prepared")
    }

    @Test func preparationDoesNotAffectOtherTests() {
        @Dependency(\.session) var session
        #expect(session == "nobody in tests")
    }

    @Test func readValueCannotBePrepared() {
        @Dependency(\.session) var session
        _ = session
        withKnownIssue {
            prepareDependencies { $0.session = "too late" }
        } matching: {
            $0.description.contains(
                """
                'prepareDependencies' was given a value for a dependency that has been used or \
                prepared before.
                """
            )
        }
        #expect(session == "nobody in tests")
    }
}

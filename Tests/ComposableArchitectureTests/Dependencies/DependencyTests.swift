import ComposableArchitecture
import Foundation
import Testing

@Suite struct DependencyTests {
    @Dependency(\.greeting) var greeting
    @Dependency(GreetingClient.self) var greetingByType
    @Dependency(\.date.now) var now

    /// The size matters because a store copies reducers, with all of their properties, into bodies
    /// and effects.
    @Test func propertyIsOneReference() {
        #expect(MemoryLayout<Dependency<GreetingClient>>.size == MemoryLayout<AnyObject>.size)
    }

    /// Properties of one place in the source code share what doesn't depend on their values.
    @Test func onePlaceCanNameSeveralDependencies() {
        func read<Value: Sendable>(
            _ keyPath: KeyPath<DependencyValues, Value> & Sendable
        ) -> Value {
            @Dependency(keyPath) var value
            return value
        }
        withDependencies {
            $0.session = "Ana"
            $0.greeting.greet = { "Hello" }
        } operation: {
            #expect(read(\.session) == "Ana")
            #expect(read(\.greeting).greet() == "Hello")
            #expect(read(\.session.count) == 3)
            #expect(read(\.session) == "Ana")
        }
        withDependencies {
            $0.session = "Ben"
        } operation: {
            #expect(read(\.session) == "Ben")
        }
    }

    @Test func contextSelectsDefault() {
        #expect(greeting.greet() == "test")
        for (context, expected) in [
            (DependencyContext.live, "live"), (.preview, "preview"), (.test, "test"),
        ] {
            withDependencies {
                $0.context = context
            } operation: {
                #expect(greeting.greet() == expected)
                #expect(greetingByType.greet() == expected)
            }
        }
        #expect(DependencyValues.live.greeting.greet() == "live")
        #expect(DependencyValues.preview.greeting.greet() == "preview")
        #expect(DependencyValues.test.greeting.greet() == "test")
        #expect(DependencyValues.live.context == .live)
        #expect(DependencyValues._current.context == .test)
    }

    @Test func overridesNest() {
        withDependencies {
            $0.greeting.greet = { "outer" }
            $0.session = "Ana"
        } operation: {
            #expect(greeting.greet() == "outer")
            withDependencies {
                $0.greeting.greet = { "inner" }
            } operation: {
                @Dependency(\.session) var session
                #expect(greeting.greet() == "inner")
                #expect(greetingByType.greet() == "inner")
                #expect(session == "Ana")
            }
            #expect(greeting.greet() == "outer")
        }
        #expect(greeting.greet() == "test")
    }

    @Test func overridesByType() {
        withDependencies {
            $0[GreetingClient.self] = GreetingClient { "by type" }
        } operation: {
            #expect(greeting.greet() == "by type")
        }
    }

    @Test func resultsAndErrorsAreForwarded() async throws {
        struct Failure: Error {}
        #expect(
            withDependencies { _ in
            } operation: {
                5
            } == 5)
        #expect(throws: Failure.self) {
            try withDependencies { _ in
                throw Failure()
            } operation: {
            }
        }
        #expect(
            await withDependencies { _ in
                await Task.yield()
            } operation: {
                await Task.yield(); return 6
            } == 6)
        await #expect(throws: Failure.self) {
            try await withDependencies { _ in
            } operation: {
                await Task.yield(); throw Failure()
            }
        }
    }

    @Test func propertyKeepsValuesOfItsCreation() {
        struct Model {
            @Dependency(\.session) var session
            @Dependency(\.greeting) var greeting
        }
        let model = withDependencies {
            $0.session = "Ana"
            $0.greeting.greet = { "hello" }
        } operation: {
            Model()
        }
        #expect(model.session == "Ana")
        withDependencies {
            $0.session = "Bo"
        } operation: {
            #expect(model.session == "Bo", "what the reader has set comes first")
            #expect(model.greeting.greet() == "hello")
        }
    }

    @Test func tasksInheritOverrides() async {
        await withDependencies {
            $0.session = "Ana"
        } operation: {
            @Dependency(\.session) var session
            let child = Task { DependencyValues._current.session }
            async let concurrent = DependencyValues._current.session
            #expect(await child.value == "Ana")
            #expect(await concurrent == "Ana")
            let detached = Task.detached { DependencyValues._current.session }
            #expect(await detached.value == "nobody in tests")
        }
    }

    @Test @MainActor func theOperationStaysInItsIsolation() async {
        var count = 0
        await withDependencies {
            $0.session = "Ana"
            count += 1
        } operation: {
            MainActor.assertIsolated()
            await Task.yield()
            MainActor.assertIsolated()
            count += 1
        }
        #expect(count == 2)
    }
}

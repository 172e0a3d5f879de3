import ComposableArchitecture
import Testing

@Suite(.serialized)
struct MainSerialExecutorTests {
    @MainActor
    @Test func tasksRunInTheOrderOfTheirComing() async {
        let order = LockIsolated<[Int]>([])
        await withMainSerialExecutor {
            #expect(uncheckedUseMainSerialExecutor)
            let tasks = (0..<1_000).map { number in
                Task.detached { order.withValue { $0.append(number) } }
            }
            for task in tasks { await task.value }
        }
        #expect(!uncheckedUseMainSerialExecutor)
        #expect(order.value == Array(0..<1_000))
    }

    @MainActor
    @Test func whatIsThrownIsThrownOn() async {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await withMainSerialExecutor { throw Failure() }
        }
        #expect(!uncheckedUseMainSerialExecutor)
    }
}

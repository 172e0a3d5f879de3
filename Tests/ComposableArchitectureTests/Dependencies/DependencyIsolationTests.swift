import ComposableArchitecture
import Dispatch
import Testing

/// One user's overrides must never be visible to another user of the process.
@Suite struct DependencyIsolationTests {
    @Test(arguments: [DependencyContext.live, .test])
    func thousandTasksNeverSeeEachOthersValues(context: DependencyContext) async {
        struct Model: Sendable {
            @Dependency(\.session) var session
            @Dependency(EagerClient.self) var eager
            @Dependency(LazyClient.self) var lazy
            @Dependency(IndirectClient.self) var indirect

            var all: Set<String> {
                [
                    self.session, self.eager.user, self.lazy.user(), self.indirect.user,
                    DependencyValues._current.session,
                ]
            }
        }
        let wrong = await withTaskGroup(of: Set<String>.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let user = "user \(number)"
                    return await withDependencies {
                        $0.context = context
                        $0.session = user
                    } operation: {
                        let model = Model()
                        var seen = model.all
                        await Task.yield()
                        seen.formUnion(model.all)
                        seen.formUnion(await Task { Model().all }.value)
                        return seen.subtracting([user])
                    }
                }
            }
            return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(wrong.isEmpty)
    }

    @Test(arguments: [DependencyContext.live, .test])
    func defaultOfOneUserIsHiddenFromNext(context: DependencyContext) {
        // All users share one cache of default values, as in a server's process.
        var process = DependencyValues()
        process.context = context
        withDependencies {
            $0 = process
        } operation: {
            let users = ["Ana", "Bo"].map { user in
                withDependencies {
                    $0.session = user
                } operation: {
                    [
                        DependencyValues._current[EagerClient.self].user,
                        DependencyValues._current[IndirectClient.self].user,
                    ]
                }
            }
            #expect(users == [["Ana", "Ana"], ["Bo", "Bo"]])
            let nobody = DependencyValues._current.session
            #expect(DependencyValues._current[EagerClient.self].user == nobody)
            #expect(DependencyValues._current[IndirectClient.self].user == nobody)
        }
    }

    @Test(arguments: [DependencyContext.live, .test])
    func sharedDefaultIsHiddenFromOverrides(context: DependencyContext) {
        var process = DependencyValues()
        process.context = context
        #expect(process[IndirectClient.self].user == process.session)
        withDependencies {
            $0 = process
            $0.session = "Ana"
        } operation: {
            #expect(DependencyValues._current[IndirectClient.self].user == "Ana")
            #expect(DependencyValues._current[EagerClient.self].user == "Ana")
        }
    }

    @Test(arguments: [DependencyContext.live, .test])
    func propertyInDefaultBelongsToNoUser(context: DependencyContext) {
        var process = DependencyValues()
        process.context = context
        withDependencies {
            $0 = process
        } operation: {
            withDependencies {
                $0.session = "Ana"
            } operation: {
                #expect(DependencyValues._current[LazyClient.self].user() == "Ana")
            }
            let user = DependencyValues._current[LazyClient.self].user
            #expect(user() == DependencyValues._current.session)
            withDependencies {
                $0.session = "Bo"
            } operation: {
                #expect(user() == "Bo")
            }
        }
    }

    @Test func liveValueIsMadeOnce() async {
        let process = DependencyValues.live
        let identities = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for number in 0..<100 {
                group.addTask {
                    withDependencies {
                        $0 = process
                        $0.session = "user \(number)"
                    } operation: {
                        ObjectIdentifier(DependencyValues._current[ConnectionClient.self].identity)
                    }
                }
            }
            return await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert($1) }
        }
        #expect(identities.count == 1)
    }

    @Test func lazyLiveValueIsMadeOnce() {
        let process = DependencyValues.live
        let identities = ["Ana", "Bo"].map { user in
            withDependencies {
                $0 = process
                $0.session = user
            } operation: {
                DependencyValues._current[LazyClient.self].identity
            }
        }
        #expect(identities[0] === identities[1])
    }

    @Test func overriddenDefaultIsMadeOncePerOverrides() {
        struct Model {
            @Dependency(EagerClient.self) var eager
        }
        withDependencies {
            $0.context = .live
            $0.session = "Ana"
        } operation: {
            let first = Model().eager.identity
            #expect(Model().eager.identity === first)
            withDependencies {
                $0.session = "Bo"
            } operation: {
                #expect(Model().eager.identity !== first)
            }
        }
    }

    @Test func mergedOverridesAreCached() {
        struct Model {
            @Dependency(EagerClient.self) var eager
        }
        let model = withDependencies {
            $0.context = .live
            $0.session = "Ana"
        } operation: {
            Model()
        }
        withDependencies {
            $0.greeting.greet = { "hello" }
        } operation: {
            #expect(model.eager.user == "Ana")
            #expect(model.eager.identity === model.eager.identity)
        }
    }

    @Test func eachTestHasOwnTestValues() {
        let first = DependencyValues._current[ConnectionClient.self].identity
        #expect(DependencyValues._current[ConnectionClient.self].identity === first)
        #expect(DependencyValues()[ConnectionClient.self].identity !== first)
    }

    @Test func taskOfLiveValueSeesNoUser() async {
        struct Watcher: DependencyKey {
            let seen: Task<String, Never>
            static var liveValue: Watcher {
                Watcher(seen: Task { DependencyValues._current.session })
            }
        }
        #expect(await self.seenOfAna { $0[Watcher.self].seen } == "nobody")
    }

    @Test func earlyTaskOfLiveValueSeesNoUser() async {
        struct QuickWatcher: DependencyKey {
            let seen: Task<String, Never>
            static var liveValue: QuickWatcher {
                let hasRead = DispatchSemaphore(value: 0)
                let seen = Task(executorPreference: QueueExecutor()) {
                    defer { hasRead.signal() }
                    return DependencyValues._current.session
                }
                hasRead.wait()
                return QuickWatcher(seen: seen)
            }
        }
        #expect(await self.seenOfAna { $0[QuickWatcher.self].seen } == "nobody")
    }

    private func seenOfAna(
        _ task: (DependencyValues) -> Task<String, Never>
    ) async -> String {
        let seen = withDependencies {
            $0 = .live
            $0.session = "Ana"
        } operation: {
            task(DependencyValues._current)
        }
        return await seen.value
    }
}

/// Runs tasks on a dispatch queue, on threads outside Swift's thread pool.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tasks of a test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

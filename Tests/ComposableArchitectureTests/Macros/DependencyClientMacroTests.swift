import ComposableArchitecture
import IssueReporting
import Synchronization
import Testing

@DependencyClient
public struct UserClient: Sendable {
    public var fetch: @Sendable (_ id: Int) async throws -> String
    public var save: @Sendable (_ name: String, _ age: Int) throws -> Void
    public var log: @Sendable (String) -> Void
    public var isOpen: @Sendable () -> Bool = { false }
    public var double: @Sendable (_ number: Int) -> Int = { $0 * 2 }
    public var named: @Sendable (_ first: String, _ last: String) -> String = { first, last in
        let both = [first, last]
        return both.joined()
    }
    public var stream: @Sendable () -> AsyncStream<Int> = { AsyncStream { $0.finish() } }
}

@DependencyClient
struct MixedClient {
    let key: String
    var retries = 3
    var note: String?
    var change: (_ value: inout Int) -> Void
    var mixed: (String, _ at: Int) -> Void
    @DependencyEndpoint(method: "remove") var delete: (_ id: Int) throws -> Bool
    @MainActor var title: String { "\(key) \(retries)" }
    var show: @MainActor (_ text: String) async -> Void
    var given: () -> Int = MixedClient.five
    @DependencyEndpointIgnored var raw: () -> Int = { 1 }

    static func five() -> Int { 5 }
}

@DependencyClient
private struct HiddenClient {
    var ping: () throws -> Void
}

private struct Broken: Error, Equatable {}

@DependencyClient
struct TypedClient {
    var load: () throws(Failure) -> Int = { () throws(Failure) -> Int in throw Failure() }
    var store: (_ value: Int) throws(Failure) -> Void

    struct Failure: Error {}
}

private final class Recorder: IssueReporter {
    struct Report: Sendable {
        let message: String?
        let fileID: String
        let line: UInt
    }

    private let kept = Mutex<[Report]>([])
    var reports: [Report] { kept.withLock { $0 } }

    func reportIssue(
        _ message: @autoclosure () -> String?, severity: IssueSeverity, fileID: StaticString,
        filePath: StaticString, line: UInt, column: UInt
    ) {
        let report = Report(message: message(), fileID: "\(fileID)", line: line)
        kept.withLock { $0.append(report) }
    }
}

struct DependencyClientMacroTests {
    @Test func namesUnimplementedEndpoint() async throws {
        let client = UserClient()
        await withExpectedIssue {
            await #expect(throws: (any Error).self) { try await client.fetch(id: 1) }
        }
        withExpectedIssue { #expect(client.isOpen() == false) }
        withExpectedIssue { #expect(client.double(number: 4) == 8) }
        withExpectedIssue { #expect(client.named(first: "a", last: "b") == "ab") }
        withExpectedIssue { client.log("x") }
    }

    @Test func reportsItsNameAtItsDeclaration() throws {
        let recorder = Recorder()
        withIssueReporters([recorder]) { UserClient().log("x") }
        let report = try #require(recorder.reports.first)
        #expect(recorder.reports.count == 1)
        #expect(report.message == "Unimplemented: 'UserClient.log'")
        #expect(report.fileID.hasSuffix("DependencyClientMacroTests.swift"))
        #expect(report.line == 10)
    }

    @Test func callsGivenClosure() async throws {
        let client = UserClient(
            fetch: { "user \($0)" }, save: { _, _ in throw Broken() }, log: { _ in },
            isOpen: { true }, double: { $0 }, named: { $1 + $0 },
            stream: { AsyncStream { _ in } })
        #expect(try await client.fetch(id: 3) == "user 3")
        #expect(try await client.fetch(4) == "user 4")
        #expect(throws: Broken()) { try client.save(name: "a", age: 1) }
        #expect(client.isOpen())
        #expect(client.named(first: "a", last: "b") == "ba")
    }

    @Test func endpointsCanBeOverriddenSeparately() async throws {
        var client = UserClient()
        client.fetch = { id in "fake \(id)" }
        #expect(try await client.fetch(id: 1) == "fake 1")
    }

    @MainActor
    @Test func makesMethodsOfAllKinds() async throws {
        var client = MixedClient(key: "k")
        #expect(client.retries == 3)
        client.change = { $0 += 1 }
        var number = 1
        client.change(value: &number)
        #expect(number == 2)
        client.delete = { $0 == 1 }
        #expect(try client.remove(id: 1))
        #expect(client.given() == 5)
        #expect(client.raw() == 1)
        withExpectedIssue { client.mixed("x", at: 1) }
        await withExpectedIssue { await client.show(text: "x") }
        let full = MixedClient(
            key: "k", retries: 1, note: "n", change: { _ in }, mixed: { _, _ in },
            delete: { _ in true }, show: { _ in }, given: { 1 },
            raw: { 2 })
        #expect(full.note == "n")
        #expect(full.raw() == 2)
    }

    @Test func supportsPrivateClient() {
        withExpectedIssue { #expect(throws: (any Error).self) { try HiddenClient().ping() } }
        #expect(throws: Broken()) { try HiddenClient(ping: { throw Broken() }).ping() }
    }

    @Test func keepsTypedThrows() {
        withExpectedIssue { #expect(throws: TypedClient.Failure.self) { try TypedClient().load() } }
        withExpectedIssue { try? TypedClient().store(value: 1) }
    }
}

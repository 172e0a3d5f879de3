import ComposableArchitecture
import XCTest

/// In XCTest, too, a failure appears at the line of the call.
final class XCTestFailureTests: XCTestCase {
    private var failures: [(text: String, file: String, line: Int)] = []
    private var isExpectingFailures = false

    #if canImport(Darwin)
    override func record(_ issue: XCTIssue) {
        guard isExpectingFailures else { return super.record(issue) }
        let location = issue.sourceCodeContext.location
        failures.append(
            (
                issue.compactDescription, location?.fileURL.lastPathComponent ?? "",
                location?.lineNumber ?? 0
            ))
    }
    #else
    override func recordFailure(
        withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
        expected: Bool
    ) {
        guard isExpectingFailures else {
            return super.recordFailure(
                withDescription: description, inFile: filePath, atLine: lineNumber,
                expected: expected)
        }
        failures.append((description, URL(filePath: filePath).lastPathComponent, lineNumber))
    }
    #endif

    @MainActor
    func testFailsAtTheLineOfTheCall() async {
        isExpectingFailures = true
        let store = TestStore(initialState: Loader.State()) { Loader() }
        await store.send(.tap) { $0.count = 2 }
        await store.receive(\.response)
        let line = #line
        isExpectingFailures = false

        XCTAssertEqual(failures.map(\.line), [line - 2, line - 1])
        XCTAssertEqual(Set(failures.map(\.file)), ["XCTestFailureTests.swift"])
        XCTAssert(failures.first?.text.contains("The state is not what the test expects:") ?? false)
        XCTAssert(
            failures.last?.text.contains(
                "The test expects an action of this case, but none was received.") ?? false)
    }

    @MainActor
    func testFailsAtTheEnd() async {
        isExpectingFailures = true
        var line = 0
        do {
            let store = TestStore(initialState: Loader.State()) { Loader() }
            await store.send(.wait)
            line = #line - 1
        }
        isExpectingFailures = false

        XCTAssertEqual(failures.map(\.line), [line])
        XCTAssert(
            failures.first?.text.contains(
                "An effect of this action is still running at the end of the test.") ?? false)
    }
}

import Foundation

/// A program that a test runs. It blocks none of the few threads that all tests share: two blocked
/// threads would stop every test on two cores.
public enum ChildProcess {
    public struct Output: Sendable {
        public var text: String
        public var status: Int32
    }

    /// In seconds. `timeout` then ends the program, with status 124.
    private static let patience = 150

    /// Runs a program, without its standard error, and returns its standard output.
    /// - Parameters:
    ///   - program: a path, or a name that is searched in `PATH`.
    ///   - environment: variables to add to the tests' own.
    public static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result { try runHere(program, arguments, environment: environment) })
            }
        }
    }

    private static func runHere(
        _ program: String, _ arguments: [String], environment: [String: String]
    ) throws -> Output {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        #if os(Linux)
        process.arguments = ["timeout", "--kill-after", "5", "\(patience)"]
        #else
        process.arguments = []
        #endif
        process.arguments? += [program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Output(
            text: String(decoding: bytes, as: UTF8.self), status: process.terminationStatus)
    }
}

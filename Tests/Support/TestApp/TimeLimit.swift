import Foundation

/// Ends the process with a message unless the task is cancelled in time. The limit is many times
/// the need of the slowest machine.
@MainActor
public func timeLimit(
    _ limit: Duration = .seconds(120), message: @escaping @MainActor () -> String
) -> Task<Void, any Error> {
    Task {
        try await Task.sleep(for: limit)
        FileHandle.standardError.write(Data("\(message())\n".utf8))
        exit(EXIT_FAILURE)
    }
}

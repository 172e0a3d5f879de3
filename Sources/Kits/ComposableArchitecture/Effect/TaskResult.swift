/// A success or a failure, equatable although errors are not: for actions that carry what an effect
/// brought.
///
/// `Result` does as well when the action need not be equatable.
public enum TaskResult<Success: Sendable>: Sendable {
    case success(Success)
    case failure(any Error)

    /// The result of an asynchronous closure.
    @_transparent
    public init(catching body: @Sendable () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }

    /// The same as a `Result`.
    public init<Failure: Error>(_ result: Result<Success, Failure>) {
        switch result {
        case .success(let value): self = .success(value)
        case .failure(let error): self = .failure(error)
        }
    }

    /// The value.
    /// - Throws: The error of a failure.
    public var value: Success {
        get throws {
            switch self {
            case .success(let value): return value
            case .failure(let error): throw error
            }
        }
    }

    public func map<NewSuccess>(_ transform: (Success) -> NewSuccess) -> TaskResult<NewSuccess> {
        switch self {
        case .success(let value): .success(transform(value))
        case .failure(let error): .failure(error)
        }
    }

    public func flatMap<NewSuccess>(_ transform: (Success) -> TaskResult<NewSuccess>) -> TaskResult<
        NewSuccess
    > {
        switch self {
        case .success(let value): transform(value)
        case .failure(let error): .failure(error)
        }
    }
}

extension TaskResult: Equatable where Success: Equatable {
    /// Errors are equal when they are equatable, of one type, and equal.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.success(let lhs), .success(let rhs)): lhs == rhs
        case (.failure(let lhs), .failure(let rhs)): areEqual(lhs, rhs)
        default: false
        }
    }
}

extension TaskResult: Hashable where Success: Hashable {
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .success(let value):
            hasher.combine(0)
            hasher.combine(value)
        case .failure(let error):
            hasher.combine(1)
            if let error = (error as Any) as? AnyHashable { hasher.combine(error) }
        }
    }
}

extension TaskResult: CasePathable {
    public struct AllCasePaths: CasePathReflectable, Sendable {
        public subscript(root: TaskResult) -> PartialCaseKeyPath<TaskResult> {
            switch root {
            case .success: \.success
            case .failure: \.failure
            }
        }

        public var success: AnyCasePath<TaskResult, Success> {
            AnyCasePath(
                embed: { .success($0) },
                extract: { if case .success(let value) = $0 { value } else { nil } })
        }

        public var failure: AnyCasePath<TaskResult, any Error> {
            AnyCasePath(
                embed: { .failure($0) },
                extract: { if case .failure(let error) = $0 { error } else { nil } })
        }
    }

    public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Result {
    /// The same as a `TaskResult`.
    public init(_ result: TaskResult<Success>) where Success: Sendable, Failure == any Error {
        switch result {
        case .success(let value): self = .success(value)
        case .failure(let error): self = .failure(error)
        }
    }
}

/// True if two values are of one equatable type, and equal.
func areEqual(_ lhs: Any, _ rhs: Any) -> Bool {
    func open<Value: Equatable>(_ lhs: Value) -> Bool {
        (rhs as? Value) == lhs
    }
    guard let lhs = lhs as? any Equatable else { return false }
    return open(lhs)
}

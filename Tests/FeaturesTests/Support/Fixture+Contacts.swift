import Clients
import ComposableArchitecture
import Domain
import Foundation

@testable import Features

extension Fixture {
    static func ping(
        _ number: UInt8, from responder: UserID, to dependent: UserID, at date: Date = now,
        state: PingRecord.State = .pending
    ) -> PingRecord {
        PingRecord(
            id: id(number), responderID: responder, dependentID: dependent, createdAt: date,
            state: state, settledAt: nil)
    }

    static func alert(
        _ number: UInt8, of user: UserID, isActive: Bool = true,
        acknowledgement: AlertRecord.Acknowledgement? = nil, ledger: [AlertRecord.LedgerEntry] = []
    ) -> AlertRecord {
        let id: AlertID = id(number)
        return AlertRecord(
            id: id.description, startTime: now, endTime: isActive ? nil : now.adding(.minutes(5)),
            userId: user.description, isActive: isActive,
            kind: .manual, acknowledgement: acknowledgement, ledger: ledger
        )
    }

    static let code = "0123456789abcdef0123456789abcdef"
    /// The id of the same code, in the server's form.
    static let codeID = "01234567-89ab-cdef-0123-456789abcdef"

    static let refused = UserFacingError(
        title: "Refused", message: "No.", recoverySuggestion: "Ask.", code: "permission-denied")
    static let exists = UserFacingError(.alreadyExists("They are a contact already."))
    static let notFound = UserFacingError(.notFound("There is no such thing."))
}

extension WaitingAction {
    static func ping(_ dependent: UserID) -> WaitingAction {
        WaitingAction(id: UUID(), kind: .ping, createdAt: Fixture.now, contact: dependent)
    }

    static func roles(of contact: UserID) -> WaitingAction {
        WaitingAction(id: UUID(), kind: .changeRoles, createdAt: Fixture.now, contact: contact)
    }
}

/// A client's answer that the test releases.
struct Gate<Value: Sendable>: Sendable {
    typealias Answer = Result<Value, UserFacingError>

    let calls = LockIsolated(0)
    private let waiting = LockIsolated<[AsyncStream<Answer>.Continuation]>([])

    func wait() async throws -> Value {
        let (answers, continuation) = AsyncStream<Answer>.makeStream()
        calls.withValue { $0 += 1 }
        waiting.withValue { $0.append(continuation) }
        for await answer in answers { return try answer.get() }
        throw CancellationError()
    }

    func open(_ value: Value) { answer(.success(value)) }
    func fail(_ error: UserFacingError) { answer(.failure(error)) }

    private func answer(_ answer: Answer) {
        waiting.withValue { waiting in
            for continuation in waiting { continuation.yield(answer) }
            waiting = []
        }
    }
}

extension Fixture {
    /// The error for a contact without any role.
    static var lastRole: any Error {
        do throws(CommandError) {
            _ = try ContactRoles(isResponder: false, isDependent: false)
            return UserFacingError.unknown
        } catch {
            return error
        }
    }
}

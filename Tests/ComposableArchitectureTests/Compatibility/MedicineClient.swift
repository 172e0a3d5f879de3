import ComposableArchitecture
import Foundation

struct Medicine: Codable, Equatable, Identifiable, Sendable {
    let id: UUID
    var name = ""
    var dosesPerDay = 1
    var isTaken = false
}

@DependencyClient
struct MedicineClient: Sendable {
    var all: @Sendable () async throws -> [Medicine]
    var save: @Sendable (_ medicine: Medicine) async throws -> Void
    var delete: @Sendable (_ id: Medicine.ID, _ reason: String) async throws -> Void
    var suggestions: @Sendable (_ matching: String) async throws -> [String]
    var reminders: @Sendable () -> AsyncStream<String> = { .finished }
    var isAvailable: @Sendable () async -> Bool = { false }
    var count: @Sendable (_ on: Date) -> Int = { _ in 0 }
    var log: @Sendable (String) -> Void = { _ in }
}

extension MedicineClient: TestDependencyKey {
    static let previewValue = Self(
        all: { [] },
        save: { _ in },
        delete: { _, _ in },
        suggestions: { _ in [] },
        reminders: { .finished },
        isAvailable: { true },
        count: { _ in 0 },
        log: { _ in }
    )

    static let testValue = Self()
}

extension DependencyValues {
    var medicineClient: MedicineClient {
        get { self[MedicineClient.self] }
        set { self[MedicineClient.self] = newValue }
    }
}

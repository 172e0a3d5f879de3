import ClientsLive
import Domain
import Foundation

/// The result of one item of a browser's queue at the API.
enum QueueResult: Equatable, Sendable {
    case delivered
    /// Delivered, and the alert is open.
    case isOn
    /// Refused for good, with the reason as the user reads it.
    case refused(String)
    /// Stays in the queue for a retry.
    case waits

    /// A refusal is final if a retry can't change it. After every other failure, the item waits.
    init(_ error: any Error, during operation: ClientOperation) {
        let isFinal = (error as? ClientFailure)?.isFinal(for: operation) ?? false
        self = isFinal ? .refused(UserFacingError(error, during: operation).text) : .waits
    }
}

/// The answer to a browser's queue. The browser keeps every item that the answer doesn't name.
struct QueueReport: Encodable, Equatable, Sendable {
    struct Refusal: Encodable, Equatable, Sendable {
        var id: String
        var reason: String
    }

    var delivered: [String] = []
    /// The delivered alerts that are still open.
    var on: [String] = []
    var refused: [Refusal] = []

    var settled: [String] { delivered + refused.map(\.id) }

    mutating func note(_ outcome: QueueResult, of item: OfflineQueue.Item) {
        let id = item.id.uuidString.lowercased()
        switch outcome {
        case .delivered: delivered.append(id)
        case .isOn:
            delivered.append(id)
            on.append(id)
        case .refused(let reason): refused.append(Refusal(id: id, reason: reason))
        case .waits: break
        }
    }
}

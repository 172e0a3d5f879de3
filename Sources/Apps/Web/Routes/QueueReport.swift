import ClientsLive
import Domain
import Foundation

/// The result of handing one item of a browser's queue to the API.
enum QueueResult: Equatable, Sendable {
    case delivered
    /// Delivered, and an alert is open now.
    case isOn
    /// Refused for good, with the reason in the client's words.
    case refused(String)
    /// Tried again later.
    case waits

    /// A refusal that another try would meet again is final; every other failure waits.
    init(_ error: any Error, during operation: ClientOperation) {
        let status = (error as? ClientFailure)?.code?.status
        let isFinal = status.map { $0 < 500 && ![401, 408, 429].contains($0) } ?? false
        self = isFinal ? .refused(UserFacingError(error, during: operation).text) : .waits
    }
}

/// The answer to a browser's queue. The browser keeps every item that is not in it.
struct QueueReport: Encodable, Equatable, Sendable {
    struct Refusal: Encodable, Equatable, Sendable {
        var id: String
        var reason: String
    }

    var delivered: [String] = []
    /// The delivered alerts that are open.
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

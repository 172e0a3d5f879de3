import Domain
import Persistence

extension Transaction {
    /// Stores the outcome of one attempt.
    public func settleDelivery(_ record: DeliveryRecord, _ update: DeliveryUpdate) throws {
        _ = try settleDeliveries([(record, update)])
    }
}

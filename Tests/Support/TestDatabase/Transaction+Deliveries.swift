import Domain
import Persistence

extension Transaction {
    /// Enters the outcome of one try.
    public func settleDelivery(_ record: DeliveryRecord, _ update: DeliveryUpdate) throws {
        _ = try settleDeliveries([(record, update)])
    }
}

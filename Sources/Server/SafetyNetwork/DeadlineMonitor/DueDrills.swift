import Domain
import Persistence

extension DeadlineMonitor {
    static func handleDrills(
        _ network: SafetyNetwork, _ lane: Lane, in transaction: Transaction,
        _ work: inout Report
    ) throws {
        let now = transaction.now
        let due = try transaction.dueDrills(at: now, limit: network.deadlineCandidates)
        for owner in try take(due, network, lane, in: transaction, &work, person: \.self) {
            let failure = try transaction.isolated {
                try network.continueDrill(of: owner, in: transaction)
            }
            if let failure {
                work.failures.append("drill: \(type(of: failure))")
                try transaction.saveNextDue(ofDrillOf: owner, now.adding(postponement))
            } else {
                work.drills += 1
            }
        }
    }
}

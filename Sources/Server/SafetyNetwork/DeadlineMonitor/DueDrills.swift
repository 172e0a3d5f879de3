import Domain
import Persistence

extension DeadlineMonitor.Pass {
    mutating func handleDrills() throws {
        let now = transaction.now
        let due = try transaction.dueDrills(at: now, limit: network.deadlineCandidates)
        for owner in try lockBatch(of: due, person: \.self) {
            let failure = try transaction.isolated {
                try network.drills.continueDrill(of: owner, in: transaction)
            }
            if let failure {
                report.failures.append("drill: \(type(of: failure))")
                try transaction.saveNextDue(
                    ofDrillOf: owner, now.adding(DeadlineMonitor.postponement))
            } else {
                report.drills += 1
            }
        }
    }
}

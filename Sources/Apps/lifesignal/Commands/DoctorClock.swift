import Domain
import Foundation
import Persistence
import SafetyNetwork

extension Examination {
    /// Compares this machine's clock with the time that the server last stored, and with the
    /// kernel's synchronisation state.
    static func clock(_ settings: ServeSettings, _ path: String) -> Examination {
        let clock = ServerClock.machine(trustsWall: settings.trustsClock)
        clock.start(remembering: try? SQLiteFile.clockMemory(path))
        let now = Date()
        let words = Timestamp.text(now)
        if now < Date(milliseconds: 1_767_225_600_000) {
            return .init(
                grade: .bad, subject: "clock",
                finding: "it says \(words), which is before LifeSignal was made",
                mend: "timedatectl set-ntp true")
        }
        if let warning = clock.warning {
            return .init(
                grade: .bad, subject: "clock", finding: "it says \(words); \(warning)",
                mend: "timedatectl set-ntp true, or serve --trust-clock")
        }
        guard clock.isSynchronised else {
            return .init(
                grade: .note, subject: "clock",
                finding:
                    """
                    \(words); the kernel does not say that it is synchronised, as in many \
                    containers
                    """,
                mend:
                    """
                    timedatectl set-ntp true; or, if something else keeps it right, serve \
                    --trust-clock
                    """
            )
        }
        return .init(grade: .good, subject: "clock", finding: "\(words), synchronised")
    }
}

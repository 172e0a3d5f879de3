import Foundation

extension NotificationText {
    /// Text for the person after a restore, before their responders are notified.
    public static func areYouOK(deadline: Date, incompleteSince: Date, hasResponders: Bool) -> Self
    {
        let threat = hasResponders ? " Your responders will be told in 15 minutes." : ""
        return .init(
            .alert, "Are you OK? Please check in",
            """
            We restored a backup and may have lost a check-in that you made after \
            \(clock: incompleteSince). By what we know, you should have checked in by \
            \(clock: deadline).\(threat)
            """)
    }

    /// Text for the responders if the person hasn't answered.
    public static func mayHaveMissed(name: String, deadline: Date, incompleteSince: Date) -> Self {
        .init(
            .alert, "\(name) may have missed a check-in",
            """
            \(name) should have checked in by \(clock: deadline). LifeSignal restored a backup \
            and may have lost a check-in made after \(clock: incompleteSince). \(name) \
            was asked 15 minutes ago and has not answered. Please find out if \(name) is fine.
            """)
    }
}

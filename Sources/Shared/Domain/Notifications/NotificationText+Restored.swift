import Foundation

extension NotificationText {
    /// Text for the person, after a restore, before anybody else is told.
    public static func areYouOK(deadline: Date, incompleteSince: Date, hasResponders: Bool) -> Self
    {
        let threat = hasResponders ? " Your responders will be told in 15 minutes." : ""
        return .init(
            .alert, "Are you OK? Please check in",
            """
            We restored a backup and may have lost a check-in that you made after \
            \(clock: incompleteSince). By what we know, your deadline passed at \
            \(clock: deadline).\(threat)
            """)
    }

    /// Text for the responders, when the person has not answered.
    public static func mayHaveMissed(name: String, deadline: Date, incompleteSince: Date) -> Self {
        .init(
            .alert, "\(name) may have missed a check-in",
            """
            The deadline passed at \(clock: deadline). LifeSignal restored a backup \
            and \
            may have lost a check-in made after \(clock: incompleteSince). \(name) \
            was \
            asked 15 minutes ago and has not answered. Please find out if \(name) is fine.
            """)
    }
}

public enum NotificationRules {
    public static let kept: Duration = .days(30)
    public static let keptWhenRead: Duration = .days(7)
    /// How long limits count a notification that its recipient has deleted. At least as long as the
    /// longest window of a limit on notifications, `InvitationRules.window`.
    public static let countedWhenDeleted: Duration = .days(1)
}

public enum NotificationRules {
    public static let kept: Duration = .days(30)
    public static let keptWhenRead: Duration = .days(7)
}

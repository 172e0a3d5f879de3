import AppIntents

/// Siri phrases that work without any setup.
struct LifeSignalShortcuts: AppShortcutsProvider {
    static var appShortcuts: [AppShortcut] {
        AppShortcut(
            intent: CheckInIntent(),
            phrases: [
                "Check in with \(.applicationName)", "I’m fine with \(.applicationName)",
            ],
            shortTitle: "Check in", systemImageName: "checkmark")
        AppShortcut(
            intent: ArriveIntent(), phrases: ["I have arrived with \(.applicationName)"],
            shortTitle: "I have arrived", systemImageName: "house")
        AppShortcut(
            intent: ExtendJourneyIntent(), phrases: ["30 minutes more with \(.applicationName)"],
            shortTitle: "30 minutes more", systemImageName: "bell")
        AppShortcut(
            intent: RaiseAlertIntent(), phrases: ["Call for help with \(.applicationName)"],
            shortTitle: "Call for help", systemImageName: "exclamationmark.triangle")
        AppShortcut(
            intent: PersonStatusIntent(),
            phrases: ["How is \(\.$person) in \(.applicationName)"],
            shortTitle: "How is someone I watch over?", systemImageName: "checkmark.shield")
    }
}

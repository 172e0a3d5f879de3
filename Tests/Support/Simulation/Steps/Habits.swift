import SeededGenerator

/// A seed's choices: which steps never occur, which occur more often, and how people are reached.
/// If every step occurred in each run, rare states would be rare everywhere.
struct Habits: Sendable {
    /// The run's kinds of steps, with their weights.
    private(set) var kinds: [StepGenerator.Kind] = []
    /// The labels of the omitted steps.
    private(set) var off: Set<String> = []
    let devices: [DeviceKind]
    /// The share of people who get alerts by e-mail from the first day on.
    let shareWithMail: Double
    /// The mean time between two unplanned steps, in hours.
    let hoursBetween: Double
    /// The number of people who have no account at first. Others may invite them.
    let guests: Int
    /// The probability that a person without an account signs up, in place of another step.
    let shareOfJoins: Double
    /// The share of people who have times of day from the first day on.
    let shareWithTimes: Double
    /// The share of people who allow answers to the last call.
    let shareWithAnswers: Double
    /// Whether several people act within minutes of an alert.
    let hurries: Bool

    /// The steps that every run needs to have people, contacts and alerts.
    private static let needed: Set<String> = ["join", "checkIn", "seeCode", "scan", "acknowledge"]

    init(seed: UInt64) {
        var chance = SeededGenerator(seed: seed ^ 0x4AB1)
        Self.choose(StepGenerator.Kind.all, &kinds, &off, &chance)
        let some = DeviceKind.allCases.filter { _ in chance.isBelow(0.5) }
        devices = some.isEmpty ? [.webhook] : some
        shareWithMail = [0, 0.15, 0.4].randomElement(using: &chance) ?? 0
        hoursBetween = [2, 2, 3].randomElement(using: &chance) ?? 2
        guests = [0, 0, 2, 4].randomElement(using: &chance) ?? 0
        shareOfJoins = guests > 0 ? 0.02 : 0.3
        hurries = chance.isBelow(0.6)
        shareWithTimes = [0, 0.3, 0.6].randomElement(using: &chance) ?? 0.3
        shareWithAnswers = [0, 0.5].randomElement(using: &chance) ?? 0.5
        for group in StepGenerator.Kind.groups { Self.choose(group, &kinds, &off, &chance) }
    }

    private static func choose(
        _ all: [StepGenerator.Kind], _ kinds: inout [StepGenerator.Kind], _ off: inout Set<String>,
        _ chance: inout SeededGenerator
    ) {
        for kind in all {
            let luck = Double.random(in: 0..<1, using: &chance)
            if luck < 0.2, !needed.contains(kind.label) {
                off.insert(kind.label)
                continue
            }
            var kind = kind
            kind.weight =
                luck < 0.45 ? max(1, kind.weight / 3) : luck < 0.8 ? kind.weight : kind.weight * 3
            kinds.append(kind)
        }
    }
}

import SeededGenerator

/// The frequencies of people's acts, which differ between seeds. If all acts were equally frequent,
/// a run would rarely reach a state that needs one act many times.
struct Habits: Sendable {
    private var weights: [Act: Double] = [:]
    /// The qualities that a phone's network can change to.
    private(set) var networks: [BadConnection.Quality]
    /// The possible pauses between two acts, in seconds.
    private(set) var pauses: [Double]
    /// The number of acts within minutes of an alert.
    private(set) var followers: Int
    /// Whether the first person has two phones.
    private(set) var hasSecondPhone: Bool
    private(set) var hasWrongClocks: Bool
    /// The share of answers on a bad network that come from a proxy, in thousandths.
    private(set) var strangeAnswers: Int

    init(seed: UInt64, without: Set<String>) {
        var chance = SeededGenerator(seed: SeededGenerator.number(seed, 3))
        for act in Act.allCases where !without.contains(act.rawValue) {
            let factor = ([0, 0.2, 1, 1, 1, 3] as [Double]).randomElement(using: &chance) ?? 1
            weights[act] = Double(act.weight) * factor
        }
        networks =
            [
                [.good, .slow, .bad, .bad, .bad, .offline, .dead], [.good, .good, .slow, .offline],
                [.bad, .dead], [.good, .bad], [.slow, .dead, .offline],
            ].randomElement(using: &chance) ?? [.bad]
        pauses =
            [
                [0.1, 0.4, 1, 2, 5, 10, 30, 60, 200], [0.1, 1, 10, 30], [5, 30, 60],
                [0.05, 0.05, 0.1, 300],
            ].randomElement(using: &chance) ?? [10]
        followers = [0, 2, 6].randomElement(using: &chance) ?? 2
        hasSecondPhone = chance.once(in: 2)
        hasWrongClocks = chance.once(in: 2)
        strangeAnswers = [0, 20, 150].randomElement(using: &chance) ?? 0
    }

    func act(using chance: inout SeededGenerator) -> Act {
        let known = Act.allCases.filter { weights[$0, default: 0] > 0 }
        var ticket = Double.random(
            in: 0..<max(1e-9, known.reduce(0) { $0 + weights[$1, default: 0] }), using: &chance)
        for act in known {
            ticket -= weights[act, default: 0]
            if ticket < 0 { return act }
        }
        return known.last ?? .checkIn
    }

    func does(_ act: Act) -> Bool { weights[act, default: 0] > 0 }
}

import Domain

extension DependentsFeature.State {
    /// Dependents who need help, however the rest is sorted.
    public var inTrouble: [ContactData] { sortedDependents.filter(\.needsHelp) }
    public var others: [ContactData] { sortedDependents.filter { !$0.needsHelp } }

    /// "1 person needs you now"; nil when nobody does.
    public var troubleWords: String? {
        let count = inTrouble.count
        guard count > 0 else { return nil }
        return count == 1 ? "1 person needs you now" : "\(count) people need you now"
    }

    /// The heading of those who need no help.
    public var othersTitle: String { inTrouble.isEmpty ? "Your dependents" : "The others" }
}

extension DependentsFeature.State.SortOption {
    public var words: String {
        switch self {
        case .timeLeft: "Time left"
        case .name: "Name"
        case .dateAdded: "Newest"
        }
    }
}

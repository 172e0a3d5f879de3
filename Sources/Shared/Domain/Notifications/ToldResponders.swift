/// How many accepted responders a person has, and how many of them a message can reach.
public struct ToldResponders: Equatable, Sendable {
    public var told: Int
    public var all: Int
    /// True if these are the responders that the person chose for a journey.
    public var areChosen = false

    public init(told: Int, all: Int) {
        self.told = told
        self.all = all
    }

    var words: String {
        if told < all { return "\(told) of \(people) \(told == 1 ? "is" : "are")" }
        let everyone = people.prefix(1).uppercased() + people.dropFirst()
        return "\(everyone) \(all == 1 ? "is" : "are")"
    }

    /// Returns "Your 2 responders are being told.", or that no message reaches them.
    var beingTold: String { told > 0 ? "\(words) being told." : silence }

    /// Doesn't mention LifeSignal's app, which guests don't have.
    var silence: String { "No message reaches \(people)." }

    /// "your 2 responders", or "the 2 responders you chose".
    private var people: String {
        let count = all == 1 ? "responder" : "\(all) responders"
        return areChosen ? "the \(count) you chose" : "your \(count)"
    }
}

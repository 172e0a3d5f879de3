/// The texts about a person's own alert, wherever it is shown.
public enum AlertWords {
    /// "Alert ended. Ben and Cleo have been told." Nil when nobody was.
    public static func ended(told names: [String]) -> String? {
        guard let last = names.last else { return nil }
        let others = names.dropLast().joined(separator: ", ")
        let people = others.isEmpty ? "\(last) has" : "\(others) and \(last) have"
        return "Alert ended. \(people) been told."
    }
}

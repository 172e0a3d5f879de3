import Domain

/// Returns the first letters of the first and the last word; "?" for a name without words.
public func initials(of name: String) -> String {
    let words = name.split(whereSeparator: \.isWhitespace)
    guard let first = words.first?.first else { return "?" }
    let last = words.count > 1 ? words.last?.first : nil
    return String([first, last].compactMap(\.self)).uppercased()
}

/// "Ben", "Ben and Cleo", "Ben, Cleo and 3 others".
public func listed(_ names: [String], last: String = "and") -> String {
    switch names.count {
    case 0: "no one"
    case 1: names[0]
    case 2: "\(names[0]) \(last) \(names[1])"
    case 3: "\(names[0]), \(names[1]) \(last) \(names[2])"
    default: "\(names[0]), \(names[1]) \(last) \(names.count - 2) others"
    }
}

extension ContactData {
    /// True if an alert is open or the deadline has passed.
    public var needsHelp: Bool { isDependent && watch.map { $0.status != .active } ?? false }

    public var displayName: String { ProfileRules.displayName(name) }
}

extension RoleRequest {
    public var words: String { isMine ? "Not accepted yet" : "Waits for your answer" }
    public var tone: Tone { isMine ? .normal : .warning }
}

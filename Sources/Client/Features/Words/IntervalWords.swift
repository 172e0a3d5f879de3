import Domain

public let hoursError: String = {
    let limits = IntervalLimits.standard.seconds
    return "Enter \(limits.lowerBound / 3600) to \(limits.upperBound / 3600) hours."
}()

public let hoursHint: String = {
    let limits = IntervalLimits.standard.seconds
    return
        """
        Whole hours, from \(limits.lowerBound / 3600) to \(limits.upperBound / 3600), which is \
        \(Duration.seconds(limits.upperBound).words).
        """
}()

/// Returns the typed number of hours, or 0 for other text. 0 is never accepted.
public func wholeHours(_ text: String) -> Int {
    let text = text.filter { !$0.isWhitespace }
    return text.count <= 3 ? max(0, Int(text) ?? 0) : 0
}

/// Returns the text for the field of hours; nil if the field should keep its text, even an invalid
/// one.
/// - Parameter typed: the number that was typed last; nil if a preset was chosen.
public func shownHours(_ interval: Duration, _ typed: Int?, _ presets: [Duration]) -> String? {
    if let typed { return typed > 0 ? "\(typed)" : nil }
    let (hours, rest) = interval.components.seconds.quotientAndRemainder(dividingBy: 3600)
    return presets.contains(interval) || hours < 1 || rest > 0 ? "" : "\(hours)"
}

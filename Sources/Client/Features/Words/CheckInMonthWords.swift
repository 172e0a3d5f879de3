import Domain

extension CheckInMonth.Mark {
    /// One character for a calendar's cell. The legend explains it.
    public var symbol: String {
        switch self {
        case .kept: "✓"
        case .late: "L"
        case .missed: "M"
        case .paused: "P"
        case .noCheckIn: "–"
        case .unknown: "?"
        case .future: " "
        }
    }

    public var words: String {
        switch self {
        case .kept: "kept"
        case .late: "late"
        case .missed: "missed"
        case .paused: "paused"
        case .noCheckIn: "no check-in"
        case .unknown: "not known"
        case .future: "still to come"
        }
    }

    /// What the word means.
    public var explanation: String {
        switch self {
        case .kept: "kept: you checked in"
        case .late: "late: your check-in ended an alert"
        case .missed: "missed: an alert began, and no check-in of that day ended it"
        case .paused: "paused for the whole day"
        case .noCheckIn: "no check-in, and no alert began"
        case .unknown: "not known"
        case .future: "still to come"
        }
    }

    /// The marks that a legend explains.
    public static let legend: [CheckInMonth.Mark] = allCases.filter { $0 != .future }
}

extension CheckInMonth.Day {
    /// "Thursday, 5 November: kept".
    public func words(in month: CalendarMonth) -> String {
        "\(weekday.word), \(number) \(month.name): \(mark.words)\(isToday ? ", today" : "")"
    }

    public var canBeChosen: Bool { mark != .unknown && mark != .future }
}

extension CheckInMonth {
    /// The legend of the marks that this month has.
    public var legend: [Mark] {
        let present = Set(days.map(\.mark))
        return Mark.legend.filter { present.contains($0) }
    }
}

extension HomeFeature {
    public static let monthWords = "Show the month"
    public static let listWords = "Show the list"
}

extension CheckInMonthFeature.State {
    public var previousLabel: String { "Previous month: \(month.previous.words)" }
    public var nextLabel: String { "Next month: \(month.next.words)" }
    public var statusWords: String? { isLoading ? "Loading …" : nil }

    public static let loadMoreWords = "Load the rest of this month"
    public static let noCheckInsWords = "No check-ins on this day."
    public static let chooseWords = "Choose a day to see its check-ins."
}

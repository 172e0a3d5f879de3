import API
import ClientsLive
import Domain
import Features
import Foundation
import LivePages

struct PushPress: Decodable, Sendable {
    enum Action: Decodable, Equatable, Sendable {
        case button(PushAction)
        /// A tap on the message.
        case read

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if try container.decode(String.self) == "read" {
                self = .read
            } else {
                self = .button(try container.decode(PushAction.self))
            }
        }
    }

    /// The notification's recipient.
    var user: String
    var action: Action
    var notification: NotificationID?
    var alert: AlertID?
    var ping: PingID?
    /// The id of a check-in. The browser makes a new one for each press.
    var checkIn: CheckInID?
    /// When the message was made.
    var sent: Date?
    /// The time of the press by the browser's clock.
    var at: Date?
    /// The time of sending by the browser's clock.
    var now: Date?
}

struct PushPressReply: Encodable, Equatable, Sendable {
    var isDone: Bool
    /// The reason of a refusal, as the user reads it.
    var reason: String?
    /// What follows from the press, as the user reads it.
    var then: String?

    static let done = PushPressReply(isDone: true)

    static func refused(_ reason: String) -> PushPressReply {
        PushPressReply(isDone: false, reason: reason)
    }
}

extension PushPressReply {
    /// - Parameter refusal: why the server did nothing; nil if it did what the button says.
    fileprivate init(unless refusal: String?) { self.init(isDone: refusal == nil, reason: refusal) }
}

extension PushPress {
    /// Performs the press as the user who is signed in on the connection. Throws `PageError` if the
    /// id of the alert, ping or check-in is missing. Also throws the connection's failures.
    func perform(
        as user: UserID, at now: Date, _ connection: Connection
    ) async throws -> PushPressReply {
        switch action {
        case .button(.acknowledgeAlert):
            let alert = try await connection.call(
                Routes.acknowledgeAlert, id: try subject(alert, "alert").uuid)
            return PushPressReply(unless: alert.acknowledgementRefusal(by: user))
        case .button(.declineAlert):
            let alert = try await connection.call(
                Routes.declineAlert, id: try subject(alert, "alert").uuid)
            return PushPressReply(unless: alert.declineRefusal)
        case .button(.respondToPing):
            let ping = try await connection.call(
                Routes.respondToPing,
                RespondToPingRequest(pressedAt: pressedAt(receivedAt: now)),
                id: try subject(ping, "ping").uuid)
            return PushPressReply(unless: ping.answerRefusal)
        case .button(.checkIn):
            let record = try await connection.call(
                Routes.checkIn, CheckInRequest(occurredAt: pressedAt(receivedAt: now)),
                id: try subject(checkIn, "checkIn").uuid)
            return Self.reply(to: record)
        case .button(.confirmDrill):
            let message = try subject(notification, "notification")
            let drills = try await connection.call(Routes.drills)
            guard let question = drills.asked.first(where: { $0.notificationID == message }) else {
                return .refused(drills.refusal(of: message))
            }
            let answered = try await connection.call(
                Routes.answerDrill, DrillAnswerRequest(channel: .webPush), id: question.id.uuid)
            return PushPressReply(unless: answered.answerRefusal)
        case .button(.arrived), .button(.later):
            return try await answerReminder(
                made: try subject(sent, "sent"), pressedAt: pressedAt(receivedAt: now), at: now,
                connection)
        case .read:
            _ = try await connection.call(
                Routes.readNotification, id: try subject(notification, "notification").uuid)
            return .done
        }
    }

    /// Answers the reminder of a journey. A press on an older journey's reminder changes nothing.
    private func answerReminder(
        made: Date, pressedAt: Date, at now: Date, _ connection: Connection
    ) async throws -> PushPressReply {
        let profile = try await connection.call(Routes.profile)
        guard let journey = profile.journey, journey.startTime <= made else {
            return .refused(PressWords.journeyIsOver)
        }
        if action == .button(.arrived) {
            let answer = try await connection.call(
                Routes.endJourney, EndJourneyRequest(pressedAt: pressedAt), id: journey.id.uuid)
            // The server ignores an arrival that was pressed before the return was chosen.
            guard let kept = answer.journey, kept.id == journey.id else { return .done }
            return .refused(Self.words(of: kept, answer, at: now))
        }
        // A worker without an answer repeats the press. The first press has moved the return
        // beyond the reminder's.
        guard journey.expectedReturn <= made.adding(JourneyRules.reminderLead) else {
            return PushPressReply(isDone: true, then: Self.words(of: journey, profile, at: now))
        }
        let request = ExtendJourneyRequest(
            expectedReturn: JourneyRules.extended(journey.expectedReturn, pressedAt: pressedAt),
            pressedAt: pressedAt, isLater: true)
        let answer = try await connection.call(Routes.extendJourney, request, id: journey.id.uuid)
        guard let later = answer.journey, later.id == journey.id else {
            return .refused(PressWords.journeyIsOver)
        }
        let words = Self.words(of: later, answer, at: now)
        // The server ignores a press from before the last choice of a return.
        return later.expectedReturn == journey.expectedReturn
            ? .refused(words) : PushPressReply(isDone: true, then: words)
    }

    /// Returns "Back by 18:30 CET.", with the day unless it is today.
    private static func words(
        of journey: JourneyRecord, _ profile: UserProfile, at now: Date
    ) -> String {
        let zone = profile.timeZone.flatMap { ClockZone($0) }
        let time = Timestamp.clockTime(journey.expectedReturn, in: zone, at: now)
        return "\(JourneyWords.back) \(time)."
    }

    /// Returns the time of the press, at most `now`. The time of sending corrects a wrong browser
    /// clock.
    private func pressedAt(receivedAt now: Date) -> Date {
        guard let at else { return now }
        let moment = try? CheckInRules.moment(at, sentAt: self.now, receivedAt: now)
        return moment ?? min(at, now)
    }

    /// Says what the server did with a check-in. A check-in from long ago may have changed nothing,
    /// or its deadline may have passed already.
    static func reply(to record: CheckInRecord) -> PushPressReply {
        record.nextDueWords.map { PushPressReply(isDone: true, then: $0) }
            ?? .refused(CheckInRecord.cameTooLate)
    }

    var operation: ClientOperation {
        switch action {
        case .button(.acknowledgeAlert): .acknowledgeAlert
        case .button(.declineAlert): .declineAlert
        case .button(.respondToPing): .action(.respondToPing)
        case .button(.checkIn): .action(.checkIn)
        case .button(.confirmDrill): .answerDrill
        case .button(.arrived): .action(.endJourney)
        case .button(.later): .action(.extendJourney)
        case .read: .action(.markAsRead)
        }
    }

    private func subject<Value>(_ value: Value?, _ field: String) throws(PageError) -> Value {
        guard let value else { throw .unreadable(field: field, "This press is about nothing.") }
        return value
    }
}

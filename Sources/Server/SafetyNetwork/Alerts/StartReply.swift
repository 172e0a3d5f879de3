import Domain
import Foundation
import Persistence

extension TextAnswers {
    /// The end of an alert is told in the reply to a START for this long.
    private static let tellsEnd: Duration = .days(1)

    /// Returns the reply to a START. It names the people whose alerts the user was told of by SMS
    /// or a call, and that ended since the STOP, because no SMS told the user of the end.
    /// - Parameter user: the user as before the START.
    func startReply(to user: UserRow, in connection: any SQLConnection) throws -> TextReply {
        let day = connection.now.adding(.zero - Self.tellsEnd)
        guard let stop = user.smsStoppedAt else { return .started }
        let people = try connection.endedAlertOwners(toldTo: user.id, since: max(stop, day))
        guard !people.isEmpty else { return .started }
        var (ended, stillOn): ([String], [String]) = ([], [])
        for person in people {
            let name = try connection.displayName(of: person)
            // Otherwise the end would read as the all-clear.
            if try connection.newestOpenAlert(of: person, visibleTo: user.id) == nil {
                ended.append(name)
            } else {
                stillOn.append(name)
            }
        }
        return .startedAfter(ended: ended, stillOn: stillOn)
    }
}

import API
import Domain

/// Loading of alerts: the newest, and every open one, however long ago it began.
extension Account {
    func loadAlerts() async throws -> [AlertRecord] {
        let limit = options.limits.alerts
        let newest = try await connection.all(Routes.alerts, upTo: limit)
        guard newest.count == limit else { return newest }
        let open = try await connection.all(
            Routes.alerts, upTo: .max, query: [Endpoint.onlyOpen: "true"])
        let ended = try await ended(among: newest + base.alerts, open: open)
        let later = open + ended
        let known = Set(later.map(\.id))
        return (newest.filter { !known.contains($0.id) } + later).sorted {
            ($0.startTime, $0.id) > ($1.startTime, $1.id)
        }
    }

    /// Alerts that were open and have ended, in their present state, since their screens show the
    /// end.
    private func ended(among alerts: [AlertRecord], open: [AlertRecord]) async throws
        -> [AlertRecord]
    {
        let gone = Set(alerts.filter(\.isActive).map(\.id)).subtracting(open.map(\.id))
        var ended: [AlertRecord] = []
        for id in gone.compactMap(AlertID.init) {
            do {
                ended.append(try await connection.call(Routes.alert, id: id.uuid).withoutDetails)
            } catch let failure as ClientFailure where failure.code == .notFound {
                continue
            }
        }
        return ended
    }
}

import ArgumentParser
import Domain
import Foundation

extension Admin {
    struct People: AdminCommand {
        typealias Answer = AdminPeople

        static let configuration = CommandConfiguration(
            abstract: "List people, or find them by the beginning of a number or a name.")

        @Argument(help: "The beginning of a number with its country code, or of a name.")
        var search: String?

        @Option(help: "How many people, up to 200.")
        var limit = AdminRules.standardPage

        @Option(help: "Continue after a page: the value that it printed.")
        var after: String?

        @OptionGroup var admin: AdminOptions

        func request() -> AdminRequest {
            .people(search: search, after: after, limit: limit)
        }

        func lines(_ answer: AdminPeople) -> [String] {
            let more = answer.next.map { ["More: --after \($0)"] } ?? []
            return (answer.people.isEmpty ? ["Nobody."] : answer.people.map(\.line)) + more
        }
    }

    struct Person: AdminCommand {
        typealias Answer = AdminPersonDetails

        static let configuration = CommandConfiguration(abstract: "Show one person.")

        @Argument(help: "A phone number, or the id of the account.")
        var number: String

        @OptionGroup var admin: AdminOptions

        func request() -> AdminRequest { .person(number: number) }

        func lines(_ answer: AdminPersonDetails) -> [String] {
            var lines = [
                answer.person.line, "Id: \(answer.person.id)",
                "Deadline: \(answer.person.deadline.map { AdminText.time($0) } ?? "none")",
                "Responders: \(answer.responders), reachable: \(answer.reachableResponders)",
                "Sessions: \(answer.sessions)",
            ]
            lines += answer.openAlerts.map { "Open alert: \($0)" }
            if let move = answer.move {
                let isTaken = answer.isNewNumberTaken == true
                lines.append(
                    "Moves to \(move.phoneNumber) at \(AdminText.time(move.takesEffectAt))"
                        + (isTaken ? ", which will fail: another account has that number" : ""))
            }
            return lines + answer.acts.map(AdminText.act)
        }
    }

    struct Stuck: AdminCommand {
        typealias Answer = AdminStuck

        static let configuration = CommandConfiguration(
            abstract: "Show alerts, people, endpoints and queues that need help.",
            discussion: """
                Alerts that reached no present responder, people with a deadline and no reachable \
                responder, failing endpoints, and messages that are late.
                """)

        @Option(help: "Continue to examine people: the value that was printed.")
        var after: String?

        @OptionGroup var admin: AdminOptions

        func request() -> AdminRequest { .stuck(after: after) }

        func lines(_ answer: AdminStuck) -> [String] {
            var lines = answer.alerts.map {
                "Unheard alert \($0.id) of \($0.owner) since \(AdminText.time($0.startedAt))"
            }
            let alerted = Set(answer.peopleWithAlert ?? [])
            lines += answer.people.map {
                let alert = alerted.contains($0) ? ", with an open alert" : ""
                return "No reachable responder: \($0)\(alert)"
            }
            lines += answer.endpoints.map {
                "Failing \($0.channel.rawValue) of \($0.owner)"
                    + " since \(AdminText.time($0.failingSince))"
            }
            lines += answer.queues.map {
                "Late: \($0.waiting) messages by \($0.channel.rawValue),"
                    + " the oldest due \(AdminText.time($0.oldestDue))"
            }
            if answer.isEmpty { lines.append("Nothing is stuck.") }
            if let next = answer.next { lines.append("More people: --after \(next)") }
            return lines
        }
    }

    struct Alert: AdminCommand {
        typealias Answer = AlertRecord

        static let configuration = CommandConfiguration(
            abstract: "Show the deliveries of an alert, with reasons.")

        @Argument(help: "The id of the alert.")
        var id: String

        @OptionGroup var admin: AdminOptions

        func request() -> AdminRequest { .alert(id: id) }

        func lines(_ answer: AlertRecord) -> [String] {
            let end = answer.isActive ? "open" : "ended \(AdminText.time(answer.endTime))"
            let head = "\(answer.kind.rawValue) since \(AdminText.time(answer.startTime)), \(end)"
            return [head]
                + answer.ledger.map { entry in
                    let reason = entry.reason.map { ", \($0)" } ?? ""
                    return "\(AdminText.time(entry.time))  \(entry.name) by "
                        + "\(entry.channel.rawValue): \(entry.state.rawValue), "
                        + "\(entry.attempts) attempts\(reason)"
                }
        }
    }

    struct Log: AdminCommand {
        typealias Answer = AdminLog

        static let configuration = CommandConfiguration(
            abstract: "Show what administrators did, and why.")

        @Argument(help: "A phone number or an id, for the acts about one person.")
        var number: String?

        @Option(help: "How many acts, up to 200.")
        var limit = AdminRules.standardPage

        @OptionGroup var admin: AdminOptions

        func request() -> AdminRequest { .log(number: number, limit: limit) }

        func lines(_ answer: AdminLog) -> [String] {
            answer.entries.isEmpty
                ? ["No acts."]
                : answer.entries.map { entry in
                    AdminText.act(entry.act) + (entry.person.map { "  (\($0))" } ?? "")
                }
        }
    }
}

import API
import Clients
import Domain
import Foundation
import Synchronization
import Testing

@testable import ClientsLive

@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
    private static let goodReasons: Set<ErrorCode> = [
        .permissionDenied, .notFound, .methodNotAllowed, .alreadyExists, .payloadTooLarge,
        .unsupportedMediaType, .invalidArgument, .accountLocked, .unknown,
    ]

    /// A call for help is never dropped, and a check-in only if it can never succeed.
    @Test(
        arguments: [
            (.raiseAlert, []), (.endAlert, [.notFound, .invalidArgument]),
            (.checkIn, [.invalidArgument]), (.extendJourney, [.invalidArgument]),
            (.endJourney, [.invalidArgument]), (.updateProfile, goodReasons),
            (.pause, goodReasons), (.ping, goodReasons),
        ] as [(WaitingAction.Kind, Set<ErrorCode>)])
    func onlyAFinalRefusalDropsAnAction(kind: WaitingAction.Kind, codes: Set<ErrorCode>) throws {
        for code in ErrorCode.allCases {
            let failure = ClientFailure.refused(
                Problem(code, detail: "", field: nil, requestID: "request-1"))
            #expect(failure.isFinal(for: .action(kind)) == codes.contains(code), "\(code)")
        }
        for failure in [.sessionEnded, .malformedAnswer, .unreachable(.offline)] as [ClientFailure]
        {
            #expect(!failure.isFinal(for: .action(kind)))
        }
    }

    /// Alerts go first, then check-ins, then the rest, each in the order of queueing.
    @Test func actionsAreSentByRankAndPosition() {
        let actions: [QueuedAction] = [
            .endPause, .checkIn(id(1), occurredAt: noon), .endAlert(id(2)), .markAsRead(id(3)),
            .raiseAlert(id(4)), .endJourney(id(5)),
        ]
        let entries = actions.enumerated().map { place, action in
            QueuedEntry(id: UUID(), position: Int64(place), action: action, createdAt: noon)
        }
        let sent: [QueuedEntry] = entries.reversed()
        #expect(sent.inSendingOrder.map(\.position) == [2, 4, 1, 5, 0, 3])
        #expect(
            entries.map(\.action.lane) == [.rest, .rest, .alerts, .rest, .alerts, .rest])
        #expect(entries.map(\.action.isDoneWhenGone) == [false, false, true, true, false, true])
    }

    @Test func backOffDoublesUpToItsLimit() {
        let backoff = Backoff(first: .milliseconds(100), longest: .seconds(1))
        let pauses = [0, 1, 2, 4, 5, 100].map { backoff.pause(after: $0, random: 0).milliseconds }
        #expect(pauses == [50, 50, 100, 400, 500, 500])
        let random = backoff.pause(after: 1, random: 0.5)
        #expect(random > .milliseconds(74) && random < .milliseconds(76))
    }

    // MARK: Messages for a reader

    private final class Read: Sendable {
        private let state = Mutex<[Int]>([])
        var numbers: [Int] { state.withLock { $0 } }
        func note(_ number: Int) { state.withLock { $0.append(number) } }
    }

    @Test func firstReaderGetsTheUnreadMessages() async {
        let board = NoticeBoard<Int>()
        let read = Read()
        board.put(1) { read.note(1) }
        #expect(read.numbers == [])
        let (first, second) = (board.stream(), board.stream())
        #expect(read.numbers == [1])
        board.put(2) { read.note(2) }
        #expect(read.numbers == [1, 2])
        board.finish()
        let messages = (await all(of: first), await all(of: second))
        #expect(messages.0 == [1, 2])
        #expect(messages.1 == [2])
    }

    @Test func finishedBoardEndsLaterReaders() async {
        let board = NoticeBoard<Int>()
        board.finish()
        #expect(await all(of: board.stream()) == [])
    }

    private func all(of stream: AsyncStream<Int>) async -> [Int] {
        await stream.reduce(into: []) { $0.append($1) }
    }
}

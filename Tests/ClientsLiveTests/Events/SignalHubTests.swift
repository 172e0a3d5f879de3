import Domain
import Foundation
import Testing

@testable import ClientsLive

@Suite(.timeLimit(.minutes(5))) struct SignalHubTests {
    private func event(_ sequence: Int64) -> StreamSignal {
        .event(.profileChanged, sequence: sequence)
    }

    @Test func everySubscriberGetsEverything() async {
        let hub = SignalHub(room: 10)
        var ears = (0..<5).map { _ in Ear(hub.subscribe()) }
        for signal in [.connected, .reload, event(1), event(2)] as [StreamSignal] {
            hub.send(signal)
        }
        for index in ears.indices {
            #expect(await ears[index].next(4) == [.connected, .reload, event(1), event(2)])
        }
    }

    @Test func lateSubscriberReloads() async {
        let hub = SignalHub(room: 10)
        hub.send(.connected)
        hub.send(event(1))
        var late = Ear(hub.subscribe())
        hub.send(event(2))
        #expect(await late.next(3) == [.connected, .reload, event(2)])
        hub.send(.disconnected)
        var later = Ear(hub.subscribe())
        #expect(await later.next(1) == [.disconnected])
    }

    @Test func slowSubscriberReloadsWithoutBlockingOthers() async {
        let hub = SignalHub(room: 4)
        var quick = Ear(hub.subscribe())
        var slow = Ear(hub.subscribe())
        hub.send(.connected)
        #expect(await quick.next(1) == [.connected])
        for sequence in 1...4 {
            hub.send(event(Int64(sequence)))
            #expect(await quick.next(1) == [event(Int64(sequence))])
        }
        hub.send(event(5))
        #expect(await slow.next(3) == [.connected, .reload, event(5)])
        #expect(await quick.next(1) == [event(5)])
    }

    @Test func overflowKeepsTheConnectionState() async {
        let hub = SignalHub(room: 2)
        var slow = Ear(hub.subscribe())
        hub.send(.connected)
        hub.send(event(1))
        hub.send(.disconnected)
        #expect(await slow.next(2) == [.disconnected, .reload])
    }

    @Test func disconnectedIsSentOnce() async {
        let hub = SignalHub(room: 10)
        var ear = Ear(hub.subscribe())
        for _ in 0..<3 { hub.send(.disconnected) }
        hub.send(.connected)
        #expect(await ear.next(2) == [.disconnected, .connected])
    }

    @Test func leavingSubscriberIsRemoved() async {
        let hub = SignalHub(room: 10)
        do { _ = hub.subscribe() }
        #expect(hub.subscriberCount == 0)
        let signals = hub.subscribe()
        let listening = Task { for await _ in signals {} }
        listening.cancel()
        await listening.value
        #expect(hub.subscriberCount == 0)
    }

    @Test func queuedSignalsComeBeforeTheEnd() async {
        let hub = SignalHub(room: 10)
        var ear = Ear(hub.subscribe())
        hub.send(event(1))
        hub.finish()
        #expect(await ear.rest() == [event(1)])
    }
}

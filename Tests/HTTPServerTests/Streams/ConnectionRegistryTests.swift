import Domain
import Synchronization
import Testing

@testable import HTTPServer

@Suite struct ConnectionRegistryTests {
    private final class Scene: Sendable {
        let time = Mutex(ContinuousClock.now)
        let closed = Mutex<[String]>([])

        func wait(_ duration: Duration) { time.withLock { $0 += duration } }
        var closedNames: [String] { closed.withLock { $0 } }
    }

    private let scene = Scene()

    private func registry(total: Int, perAddress: Int? = nil) -> ConnectionRegistry {
        ConnectionRegistry(
            ConnectionBounds(total: total, perAddress: perAddress),
            now: { [scene] in scene.time.withLock { $0 } })
    }

    /// Opens a connection. Returns its id; nil if it is refused.
    @discardableResult
    private func open(
        _ registry: ConnectionRegistry, _ name: String, from address: String = "192.0.2.1"
    ) -> ConnectionRegistry.ID? {
        let admission = registry.open(from: NetworkAddress(address)) { [scene] in
            scene.closed.withLock { $0.append(name) }
        }
        if case .admitted(let id) = admission { return id }
        return nil
    }

    @Test func connectionAboveTheMaximumIsRefused() {
        let registry = registry(total: 2)
        #expect(open(registry, "a") != nil && open(registry, "b") != nil)
        #expect(open(registry, "c") == nil)
        #expect(registry.count == 2 && scene.closedNames == [])
    }

    @Test func closedConnectionMakesRoom() throws {
        let registry = registry(total: 1)
        registry.close(try #require(open(registry, "a")))
        #expect(open(registry, "b") != nil)
    }

    @Test func addressHasALimitedShare() {
        let registry = registry(total: 10, perAddress: 2)
        for name in ["a", "b"] { open(registry, name, from: "192.0.2.1") }
        #expect(open(registry, "c", from: "192.0.2.1") == nil)
        #expect(open(registry, "d", from: "192.0.2.2") != nil)
    }

    @Test func ipv6NetworkCountsAsOneAddress() {
        let registry = registry(total: 10, perAddress: 1)
        #expect(open(registry, "a", from: "2001:db8::1") != nil)
        #expect(open(registry, "b", from: "2001:db8::2") == nil)
        #expect(open(registry, "c", from: "2001:db8:0:1::1") != nil)
    }

    @Test func connectionsWithoutARequestAreClosedFirst() throws {
        let registry = registry(total: 3)
        let used = try #require(open(registry, "used"))
        registry.move(used, to: .answering)
        registry.move(used, to: .idle)
        open(registry, "first")
        open(registry, "second")
        scene.wait(.seconds(1))
        for name in ["d", "e"] { #expect(open(registry, name) != nil) }
        #expect(scene.closedNames == ["first", "second"])
    }

    @Test func oldestIdleConnectionIsClosedNext() throws {
        let registry = registry(total: 3)
        let ids = try ["a", "b", "c"].map { try #require(open(registry, $0)) }
        for id in ids { registry.move(id, to: .answering) }
        for id in [ids[1], ids[0]] { registry.move(id, to: .idle) }
        scene.wait(.seconds(1))
        #expect(open(registry, "d") != nil)
        #expect(scene.closedNames == ["b"])
    }

    @Test func incompleteRequestsAreClosedLast() throws {
        let registry = registry(total: 1)
        registry.move(try #require(open(registry, "a")), to: .reading)
        scene.wait(.milliseconds(4_999))
        #expect(open(registry, "b") == nil)
        scene.wait(.milliseconds(1))
        #expect(open(registry, "b") != nil)
        #expect(scene.closedNames == ["a"])
    }

    @Test func requestInProgressIsNeverClosed() throws {
        let registry = registry(total: 1)
        registry.move(try #require(open(registry, "a")), to: .answering)
        scene.wait(.seconds(86_400))
        #expect(open(registry, "b") == nil)
        #expect(scene.closedNames == [])
    }

    @Test func connectionsYoungerThanASecondAreKept() {
        let registry = registry(total: 1)
        open(registry, "a")
        scene.wait(.milliseconds(999))
        #expect(open(registry, "b") == nil)
        scene.wait(.milliseconds(1))
        #expect(open(registry, "b") != nil)
    }

    @Test func floodDoesNotCloseUsedConnections() throws {
        let registry = registry(total: 2)
        let used = try #require(open(registry, "used"))
        registry.move(used, to: .answering)
        registry.move(used, to: .idle)
        scene.wait(.seconds(10))
        open(registry, "new")
        #expect(open(registry, "newer") == nil)
        #expect(scene.closedNames == [])
    }

    @Test func addressWithMostConnectionsLosesOne() {
        let registry = registry(total: 3)
        open(registry, "a", from: "192.0.2.1")
        for name in ["b", "c"] { open(registry, name, from: "192.0.2.2") }
        scene.wait(.seconds(1))
        #expect(open(registry, "d", from: "192.0.2.3") != nil)
        #expect(scene.closedNames == ["b"])
    }

    @Test func floodFromOneAddressKeepsOthersConnections() throws {
        let registry = registry(total: 3)
        let used = try #require(open(registry, "used", from: "192.0.2.1"))
        registry.move(used, to: .idle)
        scene.wait(.seconds(10))
        for name in ["a", "b"] { open(registry, name, from: "192.0.2.2") }
        #expect(open(registry, "c", from: "192.0.2.2") == nil)
        #expect(scene.closedNames == [])
    }

    @Test func anotherAddressLosesOneIfAllOthersAreBusy() throws {
        let registry = registry(total: 3)
        for name in ["a", "b"] {
            registry.move(try #require(open(registry, name, from: "192.0.2.2")), to: .answering)
        }
        open(registry, "c", from: "192.0.2.1")
        scene.wait(.seconds(1))
        #expect(open(registry, "d", from: "192.0.2.2") != nil)
        #expect(scene.closedNames == ["c"])
    }

    @Test func connectionClosedForAnotherIsRemovedOnce() throws {
        let registry = registry(total: 1)
        let first = try #require(open(registry, "a"))
        scene.wait(.seconds(1))
        #expect(open(registry, "b") != nil)
        registry.close(first)
        #expect(registry.count == 1)
        #expect(open(registry, "c") == nil)
    }

    @Test func manyRequestsKeepTheOrder() throws {
        let registry = registry(total: 2)
        let ids = try ["a", "b"].map { try #require(open(registry, $0)) }
        for _ in 0..<1_000 {
            for id in ids {
                registry.move(id, to: .answering)
                registry.move(id, to: .idle)
            }
        }
        scene.wait(.seconds(1))
        #expect(open(registry, "c") != nil)
        #expect(scene.closedNames == ["a"])
    }

    @Test func someRefusedConnectionsLinger() {
        let registry = registry(total: 16)
        for number in 0..<16 { open(registry, "\(number)") }
        func refusal() -> ConnectionRegistry.Admission {
            registry.open(from: NetworkAddress("192.0.2.1")) {}
        }
        #expect(refusal() == .refused(lingers: true) && refusal() == .refused(lingers: true))
        #expect(refusal() == .refused(lingers: false))
        registry.endLingering()
        #expect(refusal() == .refused(lingers: true))
    }

    @Test(arguments: [
        (64, 32, 8), (512, 256, 64), (4_000, 2_000, 500), (65_536, 61_440, 4_096),
        (Int.max, 65_536, 4_096), (1, 1, 1),
    ])
    func boundsLeaveAReserve(descriptors: Int, total: Int, perAddress: Int) {
        let bounds = ConnectionBounds(descriptors: descriptors)
        #expect(bounds == ConnectionBounds(total: total, perAddress: perAddress))
        #expect(descriptors < 64 || bounds.accepted < descriptors)
    }

    @Test func proxyAddressHasNoShareLimit() {
        let bounds = ConnectionBounds(descriptors: 4_000, isBoundPerAddress: false)
        #expect(bounds == ConnectionBounds(total: 2_000, perAddress: nil))
    }
}

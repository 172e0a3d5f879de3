import Domain
import Foundation
import SeededGenerator
import Testing

@testable import SafetyNetwork

@Suite struct ServerClockTests {
    @Test func unsetWallClockIsFollowed() {
        let machine = Machine()
        let clock = machine.clock()
        for _ in 1...100 {
            machine.pass(.minutes(7) + .milliseconds(3))
            #expect(clock.now().since(machine.wall).magnitude <= .milliseconds(1))
        }
        #expect(clock.gap.magnitude < .milliseconds(1))
    }

    @Test(arguments: [
        Duration.hours(12), .hours(-12), .days(4000), .days(-4000), .seconds(1), .milliseconds(-1),
    ])
    func jumpSlewsTheTimeByAtMost5Percent(jump: Duration) {
        let machine = Machine()
        let clock = machine.settledClock()
        machine.setWall(by: jump)
        var last = clock.now()
        #expect(last == noon.adding(.minutes(1)))
        for step in [
            Duration.milliseconds(1), .seconds(1), .minutes(1), .hours(1), .hours(5),
            .milliseconds(20),
        ] {
            machine.pass(step)
            let now = clock.now()
            #expect(now.since(last) >= step * 95 / 100 - .milliseconds(1))
            #expect(now.since(last) <= step * 105 / 100 + .milliseconds(1))
            last = now
        }
    }

    @Test(arguments: [Duration.hours(12), .hours(-12)])
    func gapIsEventuallyClosed(jump: Duration) {
        let machine = Machine()
        let clock = machine.settledClock()
        machine.setWall(by: jump)
        machine.pass(.minutes(1))
        _ = clock.now()
        #expect(clock.gap.magnitude > ServerClock.notableGap)
        machine.pass(.hours(12) * 20)
        #expect(clock.now().since(machine.wall).magnitude <= .milliseconds(1))
        machine.pass(.minutes(1))
        _ = clock.now()
        #expect(clock.gap.magnitude < .milliseconds(1))
    }

    @Test func jumpThereAndBackLeavesAlmostNothing() {
        let machine = Machine()
        let clock = machine.settledClock()
        machine.setWall(by: .hours(12))
        machine.pass(.minutes(10))
        #expect(clock.now().since(noon) == .minutes(11) + .seconds(30))
        machine.setWall(by: .hours(-12))
        machine.pass(.seconds(1))
        #expect(clock.now() == machine.wall)
    }

    @Test(arguments: [200.0, -200.0, 40_000.0])
    func aSlowDriftIsFollowed(drift: Double) {
        let machine = Machine()
        let clock = machine.clock()
        for _ in 1...1000 {
            machine.pass(.minutes(1), drift: drift)
            #expect(clock.now().since(machine.wall).magnitude <= .milliseconds(1))
        }
    }

    @Test(arguments: 0..<20)
    func timeNeverGoesBack(seed: Int) {
        var random = SeededGenerator(seed: seed)
        let machine = Machine()
        let clock = machine.settledClock()
        var last = clock.now()
        for _ in 1...500 {
            if Int.random(in: 0..<10, using: &random) == 0 {
                machine.setWall(by: .seconds(.random(in: -100_000...100_000, using: &random)))
            }
            machine.pass(.milliseconds(.random(in: 0...5000, using: &random)))
            let now = clock.now()
            #expect(now >= last)
            last = now
        }
        #expect(last.since(noon) >= machine.real * 94 / 100)
        #expect(last.since(noon) <= machine.real * 106 / 100)
    }

    @Test func timeStopsWhileNoTimePasses() {
        let machine = Machine()
        let clock = machine.clock()
        machine.pass(.minutes(1))
        let now = clock.now()
        machine.setWall(by: .hours(3))
        for _ in 1...10 { #expect(clock.now() == now) }
    }
}

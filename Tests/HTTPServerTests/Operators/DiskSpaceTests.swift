import Testing

@testable import HTTPServer

@Suite struct DiskSpaceTests {
    @Test func warningComesBeforeTheHeartbeatStops() {
        #expect(DiskSpace.warning(free: 500_000_000) == nil)
        #expect(
            DiskSpace.warning(free: 499_999_999) == "the disk is nearly full: 499 MB are free")
        #expect(Vitals(freeDisk: 499_999_999).problems == [])
    }

    @Test func databaseOnAnotherMachineHasNoWarning() {
        #expect(DiskSpace.warning(free: nil) == nil)
    }
}

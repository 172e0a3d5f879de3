import HTTPClient
import Testing

@Suite struct NearHostTests {
    @Test(arguments: ["localhost", "LOCALHOST", "127.0.0.1", "::1", "[::1]"])
    func thisMachineIsNear(host: String) {
        #expect(NearHost.isThisMachine(host) && NearHost.isInOwnNetwork(host))
    }

    @Test(arguments: [
        "10.0.0.1", "192.168.1.9", "172.16.0.1", "127.0.0.2", "169.254.1.1", "[fd00::1]", "fe80::1",
        "gateway", "gateway.lan", "gateway.local", "sms.home.arpa", "SMS.internal", "167772161",
    ])
    func ownNetworkIsNear(host: String) {
        #expect(NearHost.isInOwnNetwork(host) && !NearHost.isThisMachine(host))
    }

    @Test(arguments: [
        "8.8.8.8", "172.32.0.1", "[2606:4700::1]", "::ffff:8.8.8.8", "134744072", "0x08080808",
        "010.010.010.010", "8.526344", "gateway.example.org", "localhost.example.org",
        "127.0.0.1.example.org", "notlan.lan.example",
    ])
    func internetIsFar(host: String) {
        #expect(!NearHost.isInOwnNetwork(host) && !NearHost.isThisMachine(host))
    }
}

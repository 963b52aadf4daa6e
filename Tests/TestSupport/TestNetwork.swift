/// A machine with some links, and another at their far end that stands for all others: two namespaces.
///
/// On link `n` the machine is 10.77.n.2 and fd77:n::2, and the other one 10.77.n.1 and fd77:n::1; that has 192.0.2.1 and
/// 2001:db8::1 as well, to which only routes lead. The links are up; there are no routes but those of the links.
public final class TestNetwork: Sendable {
    /// The machine.
    public let host = NetworkNamespace()
    /// All others.
    public let origin = NetworkNamespace()
    /// Kinds of the host's interfaces, in the form of /sys/class/net.
    public let kinds = TemporaryFolder()

    /// A machine with so many links, `net0` and so on.
    public init(links: Int = 1) {
        var ours: [String] = []
        var theirs = ["addr add 192.0.2.1/32 dev lo", "addr add 2001:db8::1/128 dev lo"]
        for number in 0..<links {
            ours += [
                "link add net\(number) type veth peer name far\(number) netns \(origin.name)",
                "addr add 10.77.\(number).2/24 dev net\(number)",
                "addr add fd77:\(number)::2/64 dev net\(number) nodad", "link set net\(number) up",
            ]
            theirs += [
                "addr add 10.77.\(number).1/24 dev far\(number)",
                "addr add fd77:\(number)::1/64 dev far\(number) nodad", "link set far\(number) up",
            ]
        }
        precondition(host.ip(ours) && origin.ip(theirs), "the namespaces cannot be set up")
        // What comes back from everywhere.
        origin.ip("route add default via 10.77.0.2", "route add default via fd77:0::2")
    }

    /// The host's interface is of a kind that cannot be made here: `wlan`, `wwan`.
    public func setKind(_ type: String, of interface: String) {
        kinds.makeFolder(interface)
        kinds.write("INTERFACE=\(interface)\nDEVTYPE=\(type)\n", to: "\(interface)/uevent")
    }

    /// The line for ip(8) that makes link `n` the way out.
    public static func route(_ number: Int = 0, _ verb: String = "add", ipv6: Bool = false, more: String = "")
        -> String
    {
        "route \(verb) default via \(ipv6 ? "fd77:\(number)::1" : "10.77.\(number).1") \(more)"
    }
}

extension OptionTable {
    static let connection: [CommandOption] = [
        CommandOption(
            "resolve", argument: "[+]HOST:PORT:ADDR[,ADDR]...", in: .connection,
            "Use these addresses for HOST (* is every host); -HOST:PORT takes that back",
            .checked { settings, text in
                guard let rule = ResolveRule(text) else { return false }
                settings.transfer.addresses.append(rule)
                return true
            }),
        CommandOption(
            "connect-to", argument: "HOST1:PORT1:HOST2:PORT2", in: .connection,
            "Connect to HOST2:PORT2 for requests to HOST1:PORT1; an empty part means any, or the same",
            .checked { settings, text in
                guard let rule = ConnectRule(text) else { return false }
                settings.transfer.connectRules.append(rule)
                return true
            }),
        CommandOption(
            "ipv4", "4", in: .connection, "Use IPv4 addresses only",
            .flag { $0.transfer.addressFamily = .ipv4 }),
        CommandOption(
            "ipv6", "6", in: .connection, "Use IPv6 addresses only",
            .flag { $0.transfer.addressFamily = .ipv6 }),
        CommandOption(
            "unix-socket", argument: "PATH", in: .connection, "Connect to the Unix socket PATH",
            .text { $0.transfer.unixSocket = $1.isEmpty ? nil : $1 }),
        CommandOption(
            "interface", argument: "NAME", in: .connection,
            "Connect from this interface, address or host; if!NAME and host!NAME say which it is",
            .text { $0.transfer.sockets.interface = $1.isEmpty ? nil : $1 }),
        CommandOption(
            "happy-eyeballs-timeout-ms", argument: "MILLISECONDS", in: .connection,
            "How long one address may keep the next one waiting (250)",
            .count(0...3_600_000) { $0.transfer.sockets.attemptDelay = $1 }),
        CommandOption(
            "keepalive", in: .connection, "Send no probes on silent connections", isShownNegated: true,
            .toggle {
                $0.transfer.sockets.sendsKeepAlive = $1
            }),
        CommandOption(
            "keepalive-time", argument: "SECONDS", in: .connection,
            "Probe a connection that has been silent for SECONDS (60)",
            .count(1...32_767) { $0.transfer.sockets.keepAliveTime = $1 }),
        CommandOption(
            "keepalive-cnt", argument: "NUMBER", in: .connection,
            "Give a connection up after NUMBER probes without an answer",
            .count(1...127) { $0.transfer.sockets.keepAliveCount = $1 }),
        CommandOption(
            "proxy", "x", argument: "URL", in: .connection,
            "Accepted where URL is empty: proxies are not part of this version",
            .text { $0.transfer.proxy = $1 }),
        CommandOption(
            "noproxy", argument: "HOSTS", in: .connection, "Accepted: no proxy is asked for any host",
            .text { _, _ in }),
        CommandOption(
            "tcp-nodelay", in: .connection, "Accepted: requests are never held back", .toggle { _, _ in }),
    ]

    static let messages: [CommandOption] = [
        CommandOption(
            "silent", "s", in: .messages, "Show neither progress nor errors",
            .toggle {
                $0.run.isSilent = $1
            }),
        CommandOption(
            "show-error", "S", in: .messages, "With -s, show errors all the same",
            .toggle {
                $0.run.showsErrors = $1
            }),
        CommandOption(
            "verbose", "v", in: .messages, "Show what is sent, received and decided",
            .toggle {
                $0.run.isVerbose = $1
            }),
        CommandOption(
            "progress-bar", "#", in: .messages, "Show progress as a bar alone",
            .toggle {
                $0.run.progress = $1 ? .bar : .meter
            }),
        CommandOption(
            "progress-meter", in: .messages, "Show no progress, but all the rest", isShownNegated: true,
            .toggle { $0.run.progress = $1 ? .meter : .none }),
        CommandOption(
            "stderr", argument: "FILE", in: .messages, "Write messages to FILE; - is standard output",
            .text { $0.run.messageFile = FileArgument($1) }),
        CommandOption(
            "write-out", "w", argument: "FORMAT", in: .messages,
            "Print FORMAT after each transfer, its %{variables} filled in (--help -w lists them); @FILE reads it from FILE",
            moreHelp: { WriteOutVariable.help },
            .text { $0.transfer.writeOut = TextArgument($1) }),
    ]

    static let configuration: [CommandOption] = [
        CommandOption(
            "config", "K", argument: "FILE", in: .configuration,
            "Read options from FILE, one a line; - is standard input", .configFile),
        CommandOption(
            "record", argument: "FILE.wire", in: .configuration,
            "Write what is sent and received to FILE.wire, a fixture that replays it. Credentials and cookies are blanked: in fields, in URLs, in options. Content, paths and queries of URLs, and other fields are written as they are. At most 16 MiB",
            .checked { settings, text in
                guard text != "-", !text.isEmpty else { return false }
                settings.run.recordFile = text
                return true
            }),
        CommandOption(
            "disable", "q", in: .configuration, "Accepted: no file is read unasked", .toggle { _, _ in }),
        CommandOption(
            "parallel", "Z", in: .configuration, "Load several URLs at once",
            .toggle {
                $0.run.isParallel = $1
            }),
        CommandOption(
            "parallel-max", argument: "NUMBER", in: .configuration, "With -Z, how many at once (50)",
            .count(1...300) { $0.run.parallelMaximum = $1 }),
        CommandOption(
            "fail-early", in: .configuration, "End at the first transfer that fails",
            .toggle { $0.run.failsEarly = $1 }),
        CommandOption(
            "next", ":", in: .configuration, "Begin a group of URLs with options of its own", .next),
        CommandOption(
            "as-curl", in: .configuration,
            "As the first argument: curl's defaults (content to standard output, no redirects, {a,b} and [1-9] in URLs stand for several)",
            .asCurl),
        CommandOption("help", "h", in: .configuration, "Show this, or one topic of it", .help),
        CommandOption("version", "V", in: .configuration, "Show the version", .version),
    ]
}

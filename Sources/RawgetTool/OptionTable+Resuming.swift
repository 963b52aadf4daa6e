import Download

extension OptionTable {
    /// Going on with what is there, trying again, and proving that it is right.
    static let resuming: [CommandOption] = [
        CommandOption(
            "continue-at", "C", argument: "OFFSET|-", in: .resuming,
            "Go on at OFFSET, which must be the length of the file if there is one; - is the end of the file, which is appended to",
            .checked { settings, text in
                guard let continuation = ResumingOptions.Continuation(text) else { return false }
                settings.transfer.resuming.continuation = continuation
                return true
            }),
        CommandOption(
            "resume", in: .resuming,
            "Begin anew where an interrupted download left a part, and leave no record of one",
            isShownNegated: true, .toggle { $0.transfer.resuming.isOff = !$1 }),
        CommandOption(
            "resume-overlap", argument: "SIZE", in: .resuming,
            "When a download goes on, ask for the last SIZE octets once more and compare them (none)",
            .size { $0.transfer.resuming.overlap = $1 }),
        CommandOption(
            "chunk-size", argument: "SIZE", in: .resuming,
            "Ask for SIZE octets at a time, one range after another, all of one version; 0: for all at once",
            .size { $0.transfer.resuming.pieceSize = $1 == 0 ? nil : $1 }),
        CommandOption(
            "retry", argument: "NUMBER|default", in: .resuming,
            "Try NUMBER times again after time-outs, an unknown host, status 408, 429, 500, 502, 503 and 504, and, without --as-curl, cut content, going on where it stopped. By default downloads to a file are tried 5 times again where content was cut or stalls and can be gone on with, and after 429 and 503 with Retry-After, unless -m, -y or -Y is given; 0: never",
            .checked { settings, text in
                let number = Int(text).flatMap { 0...1_000_000 ~= $0 ? $0 : nil }
                guard number != nil || text == "default" else { return false }
                settings.transfer.resuming.retries = number
                return true
            }),
        CommandOption(
            "retry-delay", argument: "SECONDS", in: .resuming,
            "With --retry, wait SECONDS before each try (1, doubled each time up to 600); Retry-After goes before",
            .seconds { $0.transfer.resuming.retryDelay = $1 == .zero ? nil : $1 }),
        CommandOption(
            "retry-max-time", argument: "SECONDS", in: .resuming,
            "With --retry, begin no wait that ends later than SECONDS after the start",
            .seconds { $0.transfer.resuming.retryTime = $1 == .zero ? nil : $1 }),
        CommandOption(
            "retry-all-errors", in: .resuming,
            "With --retry, try again after every failure that is not this side's own",
            .toggle { $0.transfer.resuming.retriesAll = $1 }),
        CommandOption(
            "retry-connrefused", in: .resuming, "With --retry, try again after a refused connection, too",
            .toggle { $0.transfer.resuming.retriesRefused = $1 }),
        CommandOption(
            "checksum", argument: "ALGORITHM:HEX", in: .resuming,
            "Name the file only when its content has this digest: sha-256, sha-512, sha-384, sha-224; sha-1 and md5 are insecure. Exit 120 when it has another. Holds for all URLs up to --next",
            .explained { (settings, text) throws(UsageError) in
                do throws(ChecksumError) {
                    settings.transfer.resuming.checksum = try Checksum(parsing: text)
                } catch {
                    throw UsageError("--checksum: \("\(error)".escapedForTerminal)")
                }
            }),
        CommandOption(
            "etag-save", argument: "FILE", in: .resuming,
            "Write the entity tag of what was saved to FILE",
            .text { $0.transfer.resuming.tagFile = FileArgument($1) }),
        CommandOption(
            "etag-compare", argument: "FILE", in: .resuming,
            "Load only what has another entity tag than FILE names",
            .text { $0.transfer.resuming.knownTagFile = FileArgument($1) }),
        CommandOption(
            "sync", in: .resuming, "Give the file its name only when its content is on the disk",
            .toggle { $0.transfer.resuming.synchronizes = $1 }),
    ]
}

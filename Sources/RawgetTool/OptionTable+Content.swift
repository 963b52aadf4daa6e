extension OptionTable {
    /// What is sent to the server beside the head.
    static let content: [CommandOption] = [
        CommandOption(
            "data", "d", argument: "DATA", in: .content,
            "POST DATA, @FILE its content without line ends; & goes between several. The answer goes to standard output without -o, -O or -J",
            .text { $0.transfer.data.append(DataOption(data: $1)) }),
        CommandOption(
            "data-ascii", argument: "DATA", in: .content, "The same as -d",
            .text { $0.transfer.data.append(DataOption(data: $1)) }),
        CommandOption(
            "data-raw", argument: "DATA", in: .content, "POST DATA; @ has no meaning",
            .text { $0.transfer.data.append(.text($1)) }),
        CommandOption(
            "data-binary", argument: "DATA", in: .content, "POST DATA, @FILE its content as it is",
            .text { $0.transfer.data.append(DataOption(binary: $1)) }),
        CommandOption(
            "data-urlencode", argument: "DATA", in: .content,
            "POST DATA encoded: CONTENT, =CONTENT, NAME=CONTENT, @FILE or NAME@FILE",
            .text { $0.transfer.data.append(DataOption(encoding: $1)) }),
        CommandOption(
            "json", argument: "DATA", in: .content,
            "POST DATA or @FILE as JSON, and ask for JSON; several are joined without a sign. The answer goes where that of -d goes",
            .text {
                $0.transfer.data.append(DataOption(json: $1))
                $0.transfer.isJSON = true
            }),
        CommandOption(
            "get", "G", in: .content, "Put the data into the URL's query instead",
            .toggle { $0.transfer.putsDataInQuery = $1 }),
        CommandOption(
            "url-query", argument: "DATA", in: .content,
            "Add DATA to the URL's query, encoded as by --data-urlencode; +DATA as it is",
            .text { $0.transfer.queries.append(DataOption(query: $1)) }),
        CommandOption(
            "upload-file", "T", argument: "FILE", in: .content,
            "PUT FILE, - is standard input. The n-th -T belongs to the n-th URL; one that ends in / gets its name",
            .text { $0.transfer.uploads.append($1) }),
        CommandOption(
            "expect100-timeout", argument: "SECONDS", in: .content,
            "How long the server's go-ahead for much content is waited for (1)",
            .seconds { $0.transfer.continueTimeout = $1 }),
    ]
}

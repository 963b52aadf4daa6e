/// One row of the table of failures: our error code, the status the command exits with, curl's name for the same
/// failure, and advice.
struct ExitCode: Hashable, Sendable {
    /// The name of the `TransferError.Code`, or of a failure only the command knows.
    let errorName: String
    /// The exit status; below 100 it is curl's number.
    let status: Int32
    /// The constant of libcurl, without `CURLE_`; `nil` where curl has no such failure.
    let curlName: String?
    /// What it means, in one clause.
    let meaning: String
    /// What a person can do next, in one sentence; `nil` where the failure's own words say it.
    let advice: String?

    private init(
        _ errorName: String, _ status: Int32, _ curlName: String?, _ meaning: String,
        _ advice: String? = nil
    ) {
        self.errorName = errorName
        self.status = status
        self.curlName = curlName
        self.meaning = meaning
        self.advice = advice
    }

    /// The row of an error code; `nil` for a name the table lacks.
    static func row(named errorName: String) -> ExitCode? {
        table.first { $0.errorName == errorName }
    }

    /// The row of an exit status.
    static func row(status: Int32) -> ExitCode? {
        table.first { $0.status == status }
    }

    /// All failures, by status.
    static let table: [ExitCode] = [
        ExitCode(
            "unsupportedScheme", 1, "UNSUPPORTED_PROTOCOL", "the URL's scheme is not supported",
            "Use an http:// or https:// address."),
        ExitCode(
            "headMissing", 1, "UNSUPPORTED_PROTOCOL", "the server's answer has no head, as HTTP/0.9",
            "--http0.9 takes such an answer as content."),
        ExitCode(
            "usage", 2, "FAILED_INIT", "the command line makes no sense",
            "See `rawget --help` for the options."),
        ExitCode(
            "badRequest", 2, "FAILED_INIT", "no valid request can be made of what was asked for"),
        ExitCode(
            "badURI", 3, "URL_MALFORMAT", "the URL is malformed", "Check the address for typing errors."),
        ExitCode(
            "proxyNotResolved", 5, "COULDNT_RESOLVE_PROXY", "the proxy's name has no address",
            "Check the name given with -x or in the environment."),
        ExitCode(
            "notResolved", 6, "COULDNT_RESOLVE_HOST", "the host's name has no address",
            "Check the name and the network; --resolve gives an address by hand."),
        ExitCode(
            "couldNotConnect", 7, "COULDNT_CONNECT", "no address of the host took the connection",
            "Check the port and whether the server runs; -v shows each address tried."),
        ExitCode(
            "badResponse", 8, "WEIRD_SERVER_REPLY", "the server's answer is not valid HTTP",
            "See the answer with -v; the server or something between is at fault."),
        ExitCode(
            "incompleteContent", 18, "PARTIAL_FILE", "the content ended early", "Try again."),
        ExitCode(
            "httpFailure", 22, "HTTP_RETURNED_ERROR", "the server answered with an error status",
            "See the answer without -f, or with --fail-with-body."),
        ExitCode("writeFailed", 23, "WRITE_ERROR", "the content could not be saved"),
        ExitCode(
            "uploadFailed", 25, "UPLOAD_FAILED", "the content cannot be sent",
            "Give the content as a file, or leave out -0 if it is there."),
        ExitCode(
            "readFailed", 26, "READ_ERROR", "a local file could not be read",
            "Check the name and the rights of the file named in the message."),
        ExitCode(
            "outOfMemory", 27, "OUT_OF_MEMORY", "there is not enough memory",
            "Save to a file, which takes no memory for its content."),
        ExitCode(
            "timedOut", 28, "OPERATION_TIMEDOUT", "a time-out expired",
            "Try again, or allow more."),
        ExitCode(
            "rangeNotServed", 33, "RANGE_ERROR", "the server did not serve the range",
            "Without -r or -C the whole is loaded."),
        ExitCode(
            "tlsFailed", 35, "SSL_CONNECT_ERROR", "the TLS handshake failed",
            "Check the host and the port."),
        ExitCode(
            "badResume", 36, "BAD_DOWNLOAD_RESUME", "the download cannot go on at this offset"),
        ExitCode(
            "interfaceFailed", 45, "INTERFACE_FAILED", "the local address or interface cannot be used",
            "Check the name given with --interface."),
        ExitCode(
            "tooManyRedirects", 47, "TOO_MANY_REDIRECTS", "the redirects did not end",
            "Allow more with --max-redirs, if they are no circle."),
        ExitCode(
            "emptyReply", 52, "GOT_NOTHING", "the server closed without an answer",
            "Check the port and the scheme; it may speak another protocol."),
        ExitCode("sendFailed", 55, "SEND_ERROR", "the request could not be sent", "Try again."),
        ExitCode("receiveFailed", 56, "RECV_ERROR", "the connection broke while receiving", "Try again."),
        ExitCode(
            "clientCertificate", 58, "SSL_CERTPROBLEM", "the client certificate cannot be used",
            "Check the files given with -E and --key."),
        ExitCode(
            "cipher", 59, "SSL_CIPHER", "the list of ciphers cannot be used",
            "Check the names given with --ciphers and --tls13-ciphers."),
        ExitCode(
            "peerCertificate", 60, "PEER_FAILED_VERIFICATION", "the server's certificate is not trusted",
            "The server needs another certificate."),
        ExitCode(
            "badContentCoding", 61, "BAD_CONTENT_ENCODING", "the content could not be decoded",
            "Without --compressed the content is saved as it came, with --raw the transfer coding too."),
        ExitCode(
            "tooLarge", 63, "FILESIZE_EXCEEDED", "the content is larger than allowed",
            "Allow more with --max-filesize."),
        ExitCode(
            "contentNotRewound", 65, "SEND_FAIL_REWIND", "the content would have to be sent again",
            "Give the content as a file."),
        ExitCode(
            "caFile", 77, "SSL_CACERT_BADFILE", "the CA certificates could not be read",
            "Check the file or folder given with --cacert, --capath, SSL_CERT_FILE or SSL_CERT_DIR."),
        ExitCode(
            "pinnedKey", 90, "SSL_PINNEDPUBKEYNOTMATCH", "the server's key is not the pinned one",
            "Check whether the server's key was changed on purpose."),
        ExitCode(
            "authentication", 94, "AUTH_ERROR", "authentication failed",
            "Check the name and password and which schemes the server offers."),
        ExitCode(
            "proxyHandshake", 97, "PROXY", "the proxy refused the connection",
            "Check the proxy's address and its rules."),
        ExitCode(
            "digestMismatch", 120, nil, "the content does not have the digest expected",
            "Do not use the file; load it again from a source you trust."),
        ExitCode(
            "notInCache", 121, nil, "no stored response can be used",
            "Allow the network with another cache policy."),
        ExitCode(
            "partInUse", 122, nil, "another process is writing this part",
            "Wait for it, or choose another name with -o."),
        ExitCode("cancelled", 123, nil, "the transfer was cancelled", "Start it again."),
        ExitCode("offline", 124, nil, "there is no network", "Try again when it is back."),
        ExitCode("interrupted", 130, nil, "interrupted from the keyboard", "Run the same command again."),
    ]
}

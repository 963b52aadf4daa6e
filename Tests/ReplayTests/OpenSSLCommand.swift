import Replay
import TestSupport

/// What a program said, both streams together, and how it ended.
struct Said {
    var text: String
    var ending: ChildProcess.Ending
}

/// Runs a program to its end with this standard input.
func run(_ program: String, _ arguments: [String], input: String = "") async -> Said {
    let standardInput = NamelessFile(Array(input.utf8))
    let output = NamelessFile()
    let process = ChildProcess(
        program, arguments, input: standardInput.descriptor, output: output.descriptor,
        errors: output.descriptor)
    let ending = await process.ending(within: .seconds(20))
    return Said(text: output.text, ending: ending)
}

/// `openssl s_client` against a server: one request by hand, answers until the server closes.
func client(_ secure: SecureServer, _ arguments: [String] = [], request: String = "GET / HTTP/1.1\n\n") async
    -> Said
{
    await run(
        "openssl",
        [
            "s_client", "-connect", "127.0.0.1:\(secure.server.port)", "-CAfile", secure.authorityFile,
            "-verify_return_error", "-ign_eof",
        ] + arguments, input: request)
}

import HTTPClient
public import Replay
public import RawgetTool

/// What one call of the command came to.
public struct ToolRun: Sendable {
    /// The exit code.
    public var exit: Int32
    /// What went to standard output.
    public var output: [UInt8]
    /// What went to standard error.
    public var errors: String

    /// Standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
}

/// The standard streams that are terminals.
public struct Terminals: OptionSet, Sendable {
    /// One bit a stream.
    public let rawValue: Int
    /// The streams of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Standard output.
    public static let output = Terminals(rawValue: 1)
    /// Standard error.
    public static let errors = Terminals(rawValue: 2)
}

/// Runs the command in this process, with files as its standard streams and `folder` as the present one.
public func rawget(
    _ arguments: [String], in folder: TemporaryFolder, called name: String = "rawget", input: String = "",
    terminals: Terminals = [], output: Int32? = nil, adjust: (inout Invocation) -> Void = { _ in }
) async -> ToolRun {
    let standardInput = NamelessFile(Array(input.utf8))
    let standardOutput = NamelessFile()
    let standardError = NamelessFile()
    var invocation = Invocation(
        arguments: [name] + arguments, directory: folder.descriptor,
        standardInput: standardInput.descriptor, standardOutput: output ?? standardOutput.descriptor,
        standardError: standardError.descriptor)
    let (out, err) = (invocation.standardOutput, invocation.standardError)
    invocation.isTerminal = {
        $0 == out && terminals.contains(.output) || $0 == err && terminals.contains(.errors)
    }
    adjust(&invocation)
    let call = invocation
    let exit = await call.run()
    return ToolRun(exit: exit, output: standardOutput.octets, errors: standardError.text)
}

/// A whole response.
public func answer(
    _ status: String = "200 OK", _ fields: [String] = [], _ content: [UInt8]
) -> [Script.Step] {
    let lines = (["HTTP/1.1 \(status)", "Content-Length: \(content.count)"] + fields).joined(
        separator: "\r\n")
    return [.send(lines + "\r\n\r\n"), .send(content)]
}

/// A whole response with text for content.
public func answer(
    _ status: String = "200 OK", _ fields: [String] = [], _ text: String = "content"
) -> [Script.Step] {
    answer(status, fields, Array(text.utf8))
}

/// A response that says nothing of its length and ends with the connection.
public func answerUntilClose(_ content: String) -> [Script.Step] {
    [.send("HTTP/1.1 200 OK\r\n\r\n\(content)"), .close]
}

/// A response in chunks.
public func answerInChunks(_ chunks: [[UInt8]]) -> [Script.Step] {
    var steps: [Script.Step] = [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")]
    for chunk in chunks {
        steps += [.send(String(chunk.count, radix: 16) + "\r\n"), .send(chunk), .send("\r\n")]
    }
    return steps + [.send("0\r\n\r\n")]
}

/// A server that is running.
public func serve(
    address: ReplayServer.Address = .ipv4Loopback,
    _ handler: @escaping @Sendable (RecordedRequest) -> [Script.Step]
) throws -> ReplayServer {
    let server = try ReplayServer(address: address, handler: handler)
    try server.start()
    return server
}

/// A server that answers every request alike.
public func serve(_ steps: [Script.Step]) throws -> ReplayServer { try serve { _ in steps } }

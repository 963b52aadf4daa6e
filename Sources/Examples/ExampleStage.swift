public import Rawget

/// What an example is given: a server, a folder, and somebody to tell.
public struct ExampleStage: Sendable {
    /// Where the resources are: an address that ends in a slash.
    public var server: URI
    /// The folder that an example saves in.
    public var folder: String
    /// The folder for temporary files.
    public var temporaryFolder: String

    /// Says a line.
    public var say: @Sendable (_ line: String) -> Void
    /// Says whether something is as it should be.
    public var check: @Sendable (_ what: String, _ holds: Bool) -> Void

    /// Whether that is the whole content of a resource.
    public var isWhole: @Sendable (_ resource: ExampleResource, _ content: [UInt8]) -> Bool
    /// How many requests the server has got.
    public var requestCount: @Sendable () -> Int
    /// How many connections the server has accepted.
    public var connectionCount: @Sendable () -> Int
    /// Octets of the process's own memory that are in use now.
    public var memory: @Sendable () -> Int

    /// A stage of these parts.
    public init(
        server: URI, folder: String, temporaryFolder: String,
        say: @escaping @Sendable (_ line: String) -> Void,
        check: @escaping @Sendable (_ what: String, _ holds: Bool) -> Void,
        isWhole: @escaping @Sendable (_ resource: ExampleResource, _ content: [UInt8]) -> Bool,
        requestCount: @escaping @Sendable () -> Int, connectionCount: @escaping @Sendable () -> Int,
        memory: @escaping @Sendable () -> Int
    ) {
        self.server = server
        self.folder = folder
        self.temporaryFolder = temporaryFolder
        self.say = say
        self.check = check
        self.isWhole = isWhole
        self.requestCount = requestCount
        self.connectionCount = connectionCount
        self.memory = memory
    }
}

extension ExampleStage {
    /// The address of a resource. Throws where the server's own is none that paths can be relative to.
    func uri(_ resource: ExampleResource) throws(URIError) -> URI {
        try URI(parsing: resource.rawValue, relativeTo: server)
    }

    /// The path of a file to save.
    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// The default configuration, but with temporary files in the example's own folder in place of the user's.
    var configuration: SessionConfiguration {
        var configuration = SessionConfiguration.default
        configuration.temporaryDirectory = temporaryFolder
        return configuration
    }

    /// What stands in for `Session.shared`, which would use the user's folder.
    var session: Session { Session(configuration: configuration) }

    /// Whether a file has the whole content of a resource.
    func isWhole(_ resource: ExampleResource, at path: String) -> Bool {
        (try? [UInt8](contentsOfFile: path)).map { isWhole(resource, $0) } ?? false
    }

    /// Something failed that should not have.
    func fail(_ error: (any Error)?) {
        check("failed: \(error.map { "\($0)" } ?? "without a reason")", false)
    }
}

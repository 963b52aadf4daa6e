/// A whole test of a protocol, as a `.wire` file tells it: what is run, the octets in both directions, what the
/// network does, the outcome. `Fixtures/README.md` has the grammar.
public struct Fixture: Hashable, Sendable {
    /// Why it exists: the comment at its beginning, a line each.
    public var reason: [String]
    /// Data with a name, in order. What uses them holds the data, too.
    public var blobs: [Blob]
    /// The servers in order; never empty.
    public var servers: [Server]
    /// What is run, in turn; never empty.
    public var runs: [Run]

    /// A fixture of these parts.
    public init(reason: [String], blobs: [Blob] = [], servers: [Server] = [Server()], runs: [Run]) {
        self.reason = reason
        self.blobs = blobs
        self.servers = servers
        self.runs = runs
    }

    /// Data with a name.
    public struct Blob: Hashable, Sendable {
        /// What others call it.
        public var name: String
        /// The data.
        public var content: FixtureContent

        /// Data with a name.
        public init(name: String, content: FixtureContent) {
            self.name = name
            self.content = content
        }
    }

    /// What stands in one line (or begins there).
    public struct Located<Statement: Hashable & Sendable>: Hashable, Sendable {
        /// The number of the line, from 1; 0 for what no file says.
        public var line: Int
        /// What it says.
        public var value: Statement

        /// A statement and its line.
        public init(_ value: Statement, line: Int = 0) {
            self.value = value
            self.line = line
        }
    }

    /// A command or a load, with what goes before it and what happens to it.
    public struct Run: Hashable, Sendable {
        /// Where its `$` or `load` stands.
        public var line: Int
        /// What is made ready, in order.
        public var preparations: [Located<Preparation>]
        /// What is run.
        public var action: Action
        /// The connections in order.
        public var connections: [Connection]
        /// What must be true in the end.
        public var outcomes: [Located<Outcome>]

        /// A run of these parts.
        public init(
            _ action: Action, line: Int = 0, preparations: [Located<Preparation>] = [],
            connections: [Connection] = [], outcomes: [Located<Outcome>] = []
        ) {
            self.action = action
            self.line = line
            self.preparations = preparations
            self.connections = connections
            self.outcomes = outcomes
        }
    }

    /// What is run.
    public enum Action: Hashable, Sendable {
        /// The command: its arguments, `rawget` the first of them, placeholders not yet filled in.
        case command([String])
        /// The library.
        case load(Load)
    }

    /// A request by the library.
    public struct Load: Hashable, Sendable {
        /// The method.
        public var method: String
        /// The URI, as written.
        public var uri: String
        /// Field lines.
        public var fields: [String] = []
        /// The content; `nil`: none.
        public var content: FixtureContent?
        /// The name of the cache policy.
        public var cachePolicy: String?

        /// A request without fields and content.
        public init(method: String, uri: String) {
            self.method = method
            self.uri = uri
        }
    }

    /// What is made ready before a run.
    public enum Preparation: Hashable, Sendable {
        /// A file and its content.
        case file(String, FixtureContent)
        /// A folder.
        case folder(String)
        /// A symbolic link.
        case link(String, target: String)
        /// The permissions of a file.
        case mode(String, UInt32)
        /// The modification time of a file, in seconds since 1970-01-01 00:00:00 UTC.
        case time(String, Int64)
        /// A variable of the environment.
        case environment(String, FixtureContent)
        /// Standard input: a pipe, or a regular file. Without one it is the null device.
        case input(FixtureContent, isFile: Bool)
        /// The wall clock, in seconds since 1970-01-01 00:00:00 UTC.
        case clock(Int64)
        /// The wall clock moves on by so many seconds.
        case clockAdvance(Int64)
    }

    /// What must be true after a run.
    public enum Outcome: Hashable, Sendable {
        case exit(Int32)
        case output(Expectation)
        case error(Expectation)
        case file(String, Expectation)
        /// In seconds since 1970-01-01 00:00:00 UTC.
        case fileTime(String, Int64)
        case fileMode(String, UInt32)
        case link(String, target: String)
        case folder(String)
        case noFile(String)
        /// Connections, to one server where an index is given.
        case connections(Int, server: Int?)
        /// Requests, to one server where an index is given.
        case requests(Int, server: Int?)
        case timeOver(Duration)
        case timeUnder(Duration)
        case status(Int)
        /// A field line, `Name: value`.
        case field(String)
        case noField(String)
        case trailer(String)
        case content(Expectation)
        case url(String)
        case redirects(Int)
        /// The code and phase of an error, by their names.
        case failure(code: String, phase: String?)
        case source(Source)
        /// What the cache says it did, as in a Cache-Status field.
        case cacheStatus(String)
        case resumed(at: UInt64)
        case retries(Int)
    }

    /// Where an answer came from.
    public enum Source: String, Hashable, Sendable, CaseIterable {
        case network, cache, revalidated
    }

    /// What octets are compared with.
    public enum Expectation: Hashable, Sendable {
        case equals(FixtureContent)
        case matches(FixturePattern)
    }
}

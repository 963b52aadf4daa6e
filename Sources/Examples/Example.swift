/// One of the documents' styles, or one of their topics, as a file to copy from.
public struct Example: Sendable {
    /// What it shows, by the documents' numbers: `D4`.
    public let numbers: String
    /// What the documents call it.
    public let documentStyle: String
    /// What it is called here.
    public let name: String
    private let body: @Sendable (ExampleStage) async throws -> Void

    /// An example whose code is `body`.
    init(
        _ numbers: String, _ documentStyle: String, _ name: String,
        _ body: @escaping @Sendable (ExampleStage) async throws -> Void
    ) {
        self.numbers = numbers
        self.documentStyle = documentStyle
        self.name = name
        self.body = body
    }

    /// Runs it. A failure that it does not expect is a check that does not hold.
    public func run(on stage: ExampleStage) async {
        do { try await body(stage) } catch { stage.fail(error) }
    }

    /// All of them, in the documents' order.
    public static let all: [Example] = [
        contentsOfURI, synchronousRequest, asynchronousRequest,
        connectionInMemory, connectionToFile, sizeFirst, batchesByRange, breakPointResume,
        sharedSession, sessionWithDelegate, pauseAndGoOn, configurations,
        requestOperation, managerWithDestination,
        cachePolicies, reachability, networkActivity, progressText, errorSentences, namesBeyondASCII,
    ]
}

extension Example: CustomStringConvertible {
    /// Its numbers and its name.
    public var description: String { "\(numbers), \(name)" }
}

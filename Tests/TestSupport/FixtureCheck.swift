package import RawgetTool
package import Replay

/// What a fixture came to, run as `rawget check` does.
package func result(of fixture: Fixture, limit: Duration = .seconds(30)) async -> FixtureRunner.Result {
    let folder = TemporaryFolder()
    let none = NamelessFile()
    var invocation = Invocation(
        arguments: [], directory: folder.descriptor, standardInput: none.descriptor,
        standardOutput: none.descriptor, standardError: none.descriptor)
    let path = folder.path
    invocation.environment = { $0 == "TMPDIR" ? path : nil }
    let call = invocation
    return await FixtureRunner(call, limit: limit).run(fixture)
}

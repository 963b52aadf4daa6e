extension Fixture {
    /// The same fixture as if no file said it: all numbers of lines are 0. What two texts mean is the same when this
    /// is.
    package var withoutLines: Fixture {
        var fixture = self
        for index in fixture.servers.indices { fixture.servers[index].line = 0 }
        fixture.runs = runs.map { run in
            Run(
                run.action, preparations: run.preparations.map { Located($0.value) },
                connections: run.connections.map { connection in
                    Connection(to: connection.server, connection.steps.map { Located($0.value.withoutLines) })
                },
                outcomes: run.outcomes.map { Located($0.value) })
        }
        return fixture
    }
}

extension Fixture.Step {
    fileprivate var withoutLines: Fixture.Step {
        switch self {
        case .request(.exactly(let parts)): .request(.exactly(parts.map { Fixture.Located($0.value) }))
        case .request(.matching(let conditions)):
            .request(.matching(conditions.map { Fixture.Located($0.value) }))
        default: self
        }
    }
}

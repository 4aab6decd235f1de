import ArgumentParser
import ConfigurationFile

/// `bearward schema`: prints a JSON Schema of the configuration file or of a test file.
struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a JSON Schema of the configuration file, or of a file of tests.",
        discussion: """
            Editors complete and check the file with it (JSON Schema 2020-12). It knows names, forms and numbers; `check` knows the rest. \
            For the YAML language server write as the file's first line: # yaml-language-server: $schema=PATH
            """,
    )

    @Flag(help: "Print the schema of a test file instead, as `bearward test` reads it.")
    var tests = false

    func run() throws {
        try StandardStreams.data((tests ? JSONSchema.ofTests : JSONSchema()).text)
    }
}

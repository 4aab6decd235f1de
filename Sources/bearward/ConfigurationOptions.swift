import ArgumentParser
import ConfigurationFile
import StrictJSON

/// `--config`, for a command whose other arguments follow the file.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: [.customShort("c"), .long],
        help: "The configuration file (YAML); - reads it from standard input. (default: \(ConfigurationSource.usual))",
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    /// The file named by the option or by an argument, otherwise the default file.
    func source(besides argument: String?) -> ConfigurationSource {
        ConfigurationSource(path: config ?? argument ?? ConfigurationSource.usual)
    }

    /// Rejects an argument beside the option. Even the same file twice is more likely a mistake than intended.
    func judge(besides argument: String?) throws {
        guard let config, let argument else { return }
        let both = "`\(config)` and `\(argument)`".visible
        throw ValidationError("\(both) are both named as the configuration file; leave out one of the two")
    }
}

/// `--config FILE`, or FILE alone, for a command without other arguments.
struct ConfigurationOptions: ParsableArguments {
    @OptionGroup var option: ConfigurationOption

    @Argument(
        help: ArgumentHelp("The configuration file, as with --config.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var argument: String?

    func validate() throws { try option.judge(besides: argument) }

    var source: ConfigurationSource { option.source(besides: argument) }
}

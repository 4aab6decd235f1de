"""One module a scenario: `run(options)` returns its tables."""
